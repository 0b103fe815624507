# fedsched: build, test, install. `make help` says what there is.

SHELL = /bin/sh
CARGO ?= cargo
INSTALL ?= install

# Where things go; DESTDIR is put before all of them.
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
SYSCONFDIR ?= /etc
UNITDIR ?= $(LIBDIR)/systemd/system

# Slurm's headers and library: the plugin must be built against slurmctld's own release.
MULTIARCH := $(shell gcc -print-multiarch 2>/dev/null || cc -dumpmachine 2>/dev/null)
SLURM_INCLUDE_DIR ?= /usr/include
SLURM_LIB_DIR ?= $(firstword $(wildcard /usr/lib/$(MULTIARCH) /usr/lib64 /usr/lib))
# Where slurmctld looks for plugins: `scontrol show config | grep PluginDir`.
SLURM_PLUGINDIR ?= $(firstword $(wildcard $(SLURM_LIB_DIR)/slurm-wlm $(SLURM_LIB_DIR)/slurm /usr/lib64/slurm) $(SLURM_LIB_DIR)/slurm)
export SLURM_INCLUDE_DIR SLURM_LIB_DIR

# What can be made again is kept in one place, outside the checkout.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/fedsched
export CARGO_TARGET_DIR ?= $(CACHE)/target
TARGET := $(CARGO_TARGET_DIR)
RELEASE := $(TARGET)/release
# Man pages and completions, taken from where the build script made them.
PAGES := $(TARGET)/pages
PLUGINS := -p fedsched-slurm-job-submit -p fedsched-slurm-watch

# What a Debian machine needs to build and check all of it.
PACKAGES = gcc libc6-dev libclang-dev libslurm-dev make pkg-config

.PHONY: all help program plugins test check bench demo install uninstall clean deps headers

all: program plugins ## build everything (the default)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  \1	/p' $(MAKEFILE_LIST) | expand -t 14

program: ## build the program, its man pages and its completions
	$(CARGO) build --release --package fedsched
	@rm -rf '$(PAGES)' && mkdir -p '$(PAGES)'
	@out=$$($(CARGO) build --release --package fedsched --quiet --message-format=json | \
	    sed -n 's/.*"reason":"build-script-executed","package_id":"[^"]*[/#]fedsched[#@][^"]*".*"out_dir":"\([^"]*\)".*/\1/p'); \
	    cp -R "$$out"/man "$$out"/completions '$(PAGES)/'

plugins: headers ## build what is built against Slurm: the job_submit plugin and slurm-watch
	$(CARGO) build --release $(PLUGINS)

headers:
	@test -e '$(SLURM_INCLUDE_DIR)/slurm/slurm.h' || { \
	    echo 'No slurm/slurm.h in $(SLURM_INCLUDE_DIR): install the libslurm-dev of the slurmctld that'; \
	    echo 'will load the plugin (make deps, on Debian), or set SLURM_INCLUDE_DIR and SLURM_LIB_DIR.'; \
	    exit 1; } >&2

deps: ## install what the build needs (Debian, as root)
	@missing=; for package in $(PACKAGES); do \
	    dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q '^install ok installed' || \
	    missing="$$missing $$package"; done; \
	test -z "$$missing" || { echo "installing$$missing"; \
	    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing; }

test: deps ## every test on Slurm 22.05, and what touches Slurm most on 24.11 and 26.05 (as root)
	$(CARGO) test --workspace --no-fail-fast -- --test-threads=2
	for series in 24.11 26.05; do \
	    FEDSCHED_TEST_SLURM=$$series $(CARGO) test --package fedsched --test e2e -- --test-threads=2 \
	        --skip what_no_node_can_hold placement:: bad_days::plugin || exit 1; \
	done

check: deps ## format, lints, documentation, licences
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --document-private-items
	$(CARGO) test --package fedsched --test licences
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny --all-features check; fi

bench: deps ## measure, beside what a site would use instead (as root)
	$(CARGO) run --release --package fedsched-benches

demo: deps ## a real Slurm with eight nodes and three members, and a few jobs (as root)
	./sandbox/demo

install: ## install what `make` built: DESTDIR, PREFIX, SYSCONFDIR, UNITDIR, SLURM_PLUGINDIR
	@for file in '$(RELEASE)/fedsched' '$(RELEASE)/slurm-watch' '$(RELEASE)/libjob_submit_fedsched.so' '$(PAGES)/man'; do \
	    test -e "$$file" || { echo "$$file is not there: run make first" >&2; exit 1; }; done
	$(INSTALL) -D -m 755 '$(RELEASE)/fedsched' '$(DESTDIR)$(BINDIR)/fedsched'
	$(INSTALL) -D -m 755 '$(RELEASE)/slurm-watch' '$(DESTDIR)$(LIBDIR)/fedsched/slurm-watch'
	$(INSTALL) -D -m 755 '$(RELEASE)/libjob_submit_fedsched.so' '$(DESTDIR)$(SLURM_PLUGINDIR)/job_submit_fedsched.so'
	$(INSTALL) -d '$(DESTDIR)$(DATADIR)/man/man1'
	$(INSTALL) -m 644 '$(PAGES)'/man/*.1 '$(DESTDIR)$(DATADIR)/man/man1/'
	$(INSTALL) -D -m 644 '$(PAGES)/completions/fedsched.bash' '$(DESTDIR)$(DATADIR)/bash-completion/completions/fedsched'
	$(INSTALL) -D -m 644 '$(PAGES)/completions/_fedsched' '$(DESTDIR)$(DATADIR)/zsh/site-functions/_fedsched'
	$(INSTALL) -D -m 644 '$(PAGES)/completions/fedsched.fish' '$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/fedsched.fish'
	$(INSTALL) -D -m 644 systemd/fedsched.sysusers '$(DESTDIR)$(LIBDIR)/sysusers.d/fedsched.conf'
	$(INSTALL) -D -m 644 systemd/fedsched.tmpfiles '$(DESTDIR)$(LIBDIR)/tmpfiles.d/fedsched.conf'
	$(INSTALL) -d '$(DESTDIR)$(UNITDIR)' '$(DESTDIR)$(SYSCONFDIR)/fedsched'
	$(call fill,systemd/fedsched.service.in,$(UNITDIR)/fedsched.service)
	$(call fill,systemd/fedsched-slurmrestd.service.in,$(UNITDIR)/fedsched-slurmrestd.service)
	@# The site's own configuration is never replaced.
	@test -e '$(DESTDIR)$(SYSCONFDIR)/fedsched/fedsched.toml' || { \
	    $(call fill,systemd/fedsched.toml.in,$(SYSCONFDIR)/fedsched/fedsched.toml) }

# Writes a file with its paths filled in.
define fill
sed -e 's|@bindir@|$(BINDIR)|g' -e 's|@libdir@|$(LIBDIR)|g' -e 's|@sysconfdir@|$(SYSCONFDIR)|g' '$(1)' > '$(DESTDIR)$(2)' && chmod 644 '$(DESTDIR)$(2)';
endef

uninstall: ## remove what `make install` installed, except the configuration
	rm -f '$(DESTDIR)$(BINDIR)/fedsched' '$(DESTDIR)$(LIBDIR)/fedsched/slurm-watch'
	rm -f '$(DESTDIR)$(SLURM_PLUGINDIR)/job_submit_fedsched.so'
	rm -f '$(DESTDIR)$(DATADIR)'/man/man1/fedsched.1 '$(DESTDIR)$(DATADIR)'/man/man1/fedsched-*.1
	rm -f '$(DESTDIR)$(DATADIR)/bash-completion/completions/fedsched'
	rm -f '$(DESTDIR)$(DATADIR)/zsh/site-functions/_fedsched'
	rm -f '$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/fedsched.fish'
	rm -f '$(DESTDIR)$(LIBDIR)/sysusers.d/fedsched.conf' '$(DESTDIR)$(LIBDIR)/tmpfiles.d/fedsched.conf'
	rm -f '$(DESTDIR)$(UNITDIR)/fedsched.service' '$(DESTDIR)$(UNITDIR)/fedsched-slurmrestd.service'

clean: ## remove what was built
	$(CARGO) clean
