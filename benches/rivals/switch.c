/*
 * A job_submit plugin that hands each job to the plugin its job name says, and tells how long that
 * one took.
 *
 * Two slurmctld never cost the same, be they given the same plugins: where their memory happens to
 * lie moves a submission by more than the plugins differ. So all rivals are loaded into one, and each
 * job chooses. What the choice costs is the same for all.
 *
 * The time inside the plugin, in nanoseconds, comes back as the submission's message for the user.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

/* One rival a line: its name and its shared object. */
#define RIVALS "/usr/local/lib/fedsched/rivals"
#define RIVALS_MAX 8

/* Where the bare echo answers. */
#define ECHO_SOCKET "/run/fedsched-bench-echo.sock"

/* A job of this name is not submitted to one rival, but asks it and the bare echo in turn, as many
 * times and with as many bytes as the job's comment says: "TIMES REQUEST_BYTES ANSWER_BYTES". */
#define PAIRS "pairs"
#define PAIRED_RIVAL "fedsched"
#define PAIRS_MAX 10000
#define ECHO_BYTES_MAX 65536

const char plugin_name[] = "Benchmark switch";
const char plugin_type[] = "job_submit/bench";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Of slurmctld; in no header that is installed. */
extern char *slurm_xstrdup(const char *text);
extern void slurm_xfree(void **pointer);

typedef int (*submit_t)(job_desc_msg_t *job, uint32_t submit_uid, char **message);

struct rival {
	char name[32];
	submit_t submit;
};

static struct rival rivals[RIVALS_MAX];
static size_t rivals_count;
static pthread_once_t rivals_once = PTHREAD_ONCE_INIT;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static void load(const char *name, const char *file)
{
	struct rival *rival = &rivals[rivals_count];
	void *library = dlopen(file, RTLD_LAZY);
	int (*start)(void);

	if (!library) {
		fprintf(stderr, "bench: %s\n", dlerror());
		return;
	}
	start = (int (*)(void)) dlsym(library, "init");
	if (start && start() != SLURM_SUCCESS) {
		fprintf(stderr, "bench: %s does not start\n", file);
		return;
	}
	rival->submit = (submit_t) dlsym(library, "job_submit");
	if (!rival->submit) {
		fprintf(stderr, "bench: %s has no job_submit\n", file);
		return;
	}
	snprintf(rival->name, sizeof(rival->name), "%s", name);
	rivals_count++;
}

/* With the first job: the file is written when slurmctld already runs. */
static void load_all(void)
{
	char name[32], file[256];
	FILE *list = fopen(RIVALS, "r");

	if (!list)
		return;
	while (rivals_count < RIVALS_MAX && fscanf(list, "%31s %255s", name, file) == 2)
		load(name, file);
	fclose(list);
}

static submit_t find(const char *name)
{
	for (size_t i = 0; name && i < rivals_count; i++)
		if (!strcmp(rivals[i].name, name))
			return rivals[i].submit;
	return NULL;
}

static int echo_connect(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = ECHO_SOCKET };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *) &address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The bound: what the kernel takes to carry the bytes there and back, and nothing else. */
static int echo(int fd, char *bytes, size_t request, size_t answer)
{
	ssize_t some;

	for (size_t sent = 0; sent < request; sent += (size_t) some)
		if ((some = send(fd, bytes + sent, request - sent, MSG_NOSIGNAL)) <= 0)
			return -1;
	for (size_t received = 0; received < answer; received += (size_t) some)
		if ((some = recv(fd, bytes + received, answer - received, 0)) <= 0)
			return -1;
	return 0;
}

/* As the next job would come: without what the plugin gave this one. */
static void forget(job_desc_msg_t *job)
{
	slurm_xfree((void **) &job->partition);
	slurm_xfree((void **) &job->admin_comment);
}

static int pairs(job_desc_msg_t *job, uint32_t submit_uid, char **message)
{
	static char bytes[ECHO_BYTES_MAX];
	unsigned int times = 0, request = 0, answer = 0;
	submit_t submit = find(PAIRED_RIVAL);
	size_t size, used = 0;
	char *text;
	int fd, rc = SLURM_ERROR;

	if (!submit || !job->comment ||
	    sscanf(job->comment, "%u %u %u", &times, &request, &answer) != 3 ||
	    times > PAIRS_MAX || request > sizeof(bytes) || answer > sizeof(bytes))
		return rc;
	if ((fd = echo_connect()) < 0)
		return rc;
	size = (size_t) times * 42 + 1;
	text = calloc(1, size);
	for (unsigned int i = 0; text && i < times; i++) {
		uint64_t start = now_ns(), between, end;

		if (echo(fd, bytes, request, answer))
			break;
		between = now_ns();
		rc = submit(job, submit_uid, message);
		end = now_ns();
		if (rc != SLURM_SUCCESS)
			break;
		used += (size_t) snprintf(text + used, size - used, "%llu %llu ",
					  (unsigned long long) (between - start),
					  (unsigned long long) (end - between));
		forget(job);
	}
	close(fd);
	slurm_xfree((void **) message);
	*message = text ? slurm_xstrdup(text) : NULL;
	free(text);
	return rc;
}

int job_submit(job_desc_msg_t *job, uint32_t submit_uid, char **message)
{
	char spent[24];
	submit_t submit;
	uint64_t start, end;
	int rc = SLURM_SUCCESS;

	pthread_once(&rivals_once, load_all);
	if (job->name && !strcmp(job->name, PAIRS))
		return pairs(job, submit_uid, message);
	submit = find(job->name);
	start = now_ns();
	if (submit)
		rc = submit(job, submit_uid, message);
	end = now_ns();
	/* A refusal's own message is worth more than its time. */
	if (rc == SLURM_SUCCESS && !*message) {
		snprintf(spent, sizeof(spent), "%llu", (unsigned long long) (end - start));
		*message = slurm_xstrdup(spent);
	}
	return rc;
}

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
int job_modify(job_desc_msg_t *job, void *record, uint32_t submit_uid)
{
#else
int job_modify(job_desc_msg_t *job, void *record, uint32_t submit_uid, char **message)
{
	(void) message;
#endif
	(void) job;
	(void) record;
	(void) submit_uid;
	return SLURM_SUCCESS;
}
