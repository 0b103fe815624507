/*
 * Stands in for slurmctld: exports what the plugin takes from it, loads the plugin as slurmctld does,
 * and calls it as its standard input says. Compiled against the same slurm.h, by a C compiler, so
 * that what Rust believes of job_desc_msg_t is held against what C says.
 *
 * Input: a command, then its fields, one a line ("name value", \n and \\ escaped), then an empty line.
 * Output: what it found, one a line, then "end".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

/* ---- memory: every allocation of the process is counted ---------------------------------------- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static atomic_long allocations, live;

void *malloc(size_t size)
{
	allocations++;
	live++;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	allocations++;
	live++;
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	allocations++;
	live += !old;
	return __libc_realloc(old, size);
}

void free(void *old)
{
	live -= !!old;
	__libc_free(old);
}

/* xmalloc: a header before the block, so that a block of another allocator is found out. */
#define MAGIC 0x42424242ul
#define HEADER 16

char *slurm_xstrdup(const char *text)
{
	if (!text)
		return NULL;
	uint64_t *block = malloc(HEADER + strlen(text) + 1);
	block[0] = MAGIC;
	return strcpy((char *) block + HEADER, text);
}

void slurm_xfree(void **pointer)
{
	if (!*pointer)
		return;
	uint64_t *block = (uint64_t *) ((char *) *pointer - HEADER);
	if (block[0] != MAGIC) {
		fprintf(stderr, "xfree of a block that is not xmalloc's\n");
		abort();
	}
	block[0] = 0;
	free(block);
	*pointer = NULL;
}

/* ---- what else the plugin takes from slurmctld ------------------------------------------------- */

static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;

static void say(const char *level, const char *format, va_list arguments)
{
	char text[4096];
	vsnprintf(text, sizeof(text), format, arguments);
	pthread_mutex_lock(&out);
	printf("log %s: %s\n", level, text);
	pthread_mutex_unlock(&out);
}

#define LOG(name, level, type, result)                                                             \
	type name(const char *format, ...)                                                         \
	{                                                                                          \
		va_list arguments;                                                                 \
		va_start(arguments, format);                                                       \
		say(level, format, arguments);                                                     \
		va_end(arguments);                                                                 \
		return result;                                                                     \
	}

LOG(slurm_error, "error", int, -1)
LOG(slurm_info, "info", void, )
LOG(slurm_debug, "debug", void, )

char *get_extra_conf_path(const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", getenv("CONF_DIR"), name);
	return slurm_xstrdup(path);
}

void *find_part_record(const char *name)
{
	return !strcmp(name, "cpu") || !strcmp(name, "gpu") ? (void *) 1 : NULL;
}

bool validate_operator(unsigned user)
{
	return user == 0 || user == 4000;
}

/* ---- jobs -------------------------------------------------------------------------------------- */

struct field {
	char name[32];
	char value[1 << 21];
};

struct command {
	char name[32];
	struct field *fields;
	int count;
};

static const char *value(const struct command *command, const char *name)
{
	for (int i = 0; i < command->count; i++)
		if (!strcmp(command->fields[i].name, name))
			return command->fields[i].value;
	return NULL;
}

static long number(const struct command *command, const char *name, long otherwise)
{
	const char *text = value(command, name);
	return text ? strtol(text, NULL, 0) : otherwise;
}

/* As slurm_init_job_desc_msg leaves it, where the plugin looks. */
static void fill(job_desc_msg_t *job, const struct command *command)
{
	memset(job, 0, sizeof(*job));
	job->contiguous = job->shared = job->cpus_per_task = job->ntasks_per_node =
		job->pn_min_cpus = NO_VAL16;
	job->het_job_offset = job->min_nodes = job->max_nodes = job->min_cpus = job->num_tasks =
		job->pn_min_tmp_disk = job->priority = job->time_limit = job->time_min = NO_VAL;
	job->pn_min_memory = NO_VAL64;
	job->user_id = number(command, "user_id", 4001);
	job->group_id = number(command, "group_id", 4002);
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
	job->step_id.job_id = number(command, "job_id", NO_VAL);
#else
	job->job_id = number(command, "job_id", NO_VAL);
#endif
	job->bitflags = number(command, "cron", 0) ? CRON_JOB : 0;
#define TEXT(field) job->field = slurm_xstrdup(value(command, #field))
	TEXT(account);
	TEXT(admin_comment);
	TEXT(array_inx);
	TEXT(comment);
	TEXT(cpus_per_tres);
	TEXT(dependency);
	TEXT(exc_nodes);
	TEXT(features);
	TEXT(licenses);
	TEXT(mem_per_tres);
	TEXT(name);
	TEXT(partition);
	TEXT(qos);
	TEXT(req_nodes);
	TEXT(reservation);
	TEXT(script);
	TEXT(tres_per_job);
	TEXT(tres_per_node);
	TEXT(tres_per_socket);
	TEXT(tres_per_task);
	TEXT(work_dir);
#define NUMBER(field) job->field = number(command, #field, job->field)
	NUMBER(begin_time);
	NUMBER(contiguous);
	NUMBER(cpus_per_task);
	NUMBER(deadline);
	NUMBER(het_job_offset);
	NUMBER(max_nodes);
	NUMBER(min_cpus);
	NUMBER(min_nodes);
	NUMBER(ntasks_per_node);
	NUMBER(num_tasks);
	NUMBER(pn_min_cpus);
	NUMBER(pn_min_memory);
	NUMBER(pn_min_tmp_disk);
	NUMBER(priority);
	NUMBER(shared);
	NUMBER(time_limit);
	NUMBER(time_min);
}

static void clear(job_desc_msg_t *job)
{
#define FREE(field) slurm_xfree((void **) &job->field)
	FREE(account);
	FREE(admin_comment);
	FREE(array_inx);
	FREE(comment);
	FREE(cpus_per_tres);
	FREE(dependency);
	FREE(exc_nodes);
	FREE(features);
	FREE(licenses);
	FREE(mem_per_tres);
	FREE(name);
	FREE(partition);
	FREE(qos);
	FREE(req_nodes);
	FREE(reservation);
	FREE(script);
	FREE(tres_per_job);
	FREE(tres_per_node);
	FREE(tres_per_socket);
	FREE(tres_per_task);
	FREE(work_dir);
}

/* ---- the plugin -------------------------------------------------------------------------------- */

static int (*init)(void), (*fini)(void);
static int (*job_submit)(job_desc_msg_t *, uint32_t, char **);
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
static int (*job_modify)(job_desc_msg_t *, void *, uint32_t, char **);
#else
static int (*job_modify)(job_desc_msg_t *, void *, uint32_t);
#endif

static void *symbol(void *plugin, const char *name)
{
	void *symbol = dlsym(plugin, name);
	if (!symbol) {
		fprintf(stderr, "%s is not exported\n", name);
		exit(1);
	}
	return symbol;
}

static void print(const char *name, const char *text)
{
	if (text)
		printf("%s %s\n", name, text);
}

/* Field "times": so many jobs one after another; what is told is the last one's. */
static void submit(const struct command *command)
{
	long times = number(command, "times", 1), took = 0, in_call = 0;
	job_desc_msg_t job;
	char *message = NULL;
	int rc = 0;

	for (long i = 0; i < times; i++) {
		struct timespec before, after;
		fill(&job, command);
		in_call = allocations;
		clock_gettime(CLOCK_MONOTONIC, &before);
		rc = job_submit(&job, number(command, "submitter", 4001), &message);
		clock_gettime(CLOCK_MONOTONIC, &after);
		in_call = allocations - in_call;
		took = (after.tv_sec - before.tv_sec) * 1000000 +
		       (after.tv_nsec - before.tv_nsec) / 1000;
		if (i + 1 < times) {
			clear(&job);
			slurm_xfree((void **) &message);
		}
	}
	pthread_mutex_lock(&out);
	printf("rc %d\n", rc);
	print("partition", job.partition);
	print("admin_comment", job.admin_comment);
	print("message", message);
	printf("allocations %ld\ntook_us %ld\n", in_call, took);
	pthread_mutex_unlock(&out);
	clear(&job);
	slurm_xfree((void **) &message);
}

static void modify(const struct command *command)
{
	job_desc_msg_t job;
	char *message = NULL;
	int rc;

	fill(&job, command);
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
	rc = job_modify(&job, NULL, number(command, "submitter", 4001), &message);
#else
	rc = job_modify(&job, NULL, number(command, "submitter", 4001));
#endif
	printf("rc %d\n", rc);
	print("message", message);
	clear(&job);
	slurm_xfree((void **) &message);
}

static void *submit_on_thread(void *command)
{
	submit(command);
	return NULL;
}

/* Field "threads": so many at once, each with "times" jobs. */
static void submit_on_threads(struct command *command, long count)
{
	pthread_t threads[count];
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, submit_on_thread, command);
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* ---- input ------------------------------------------------------------------------------------- */

static void unescape(char *text)
{
	char *to = text;
	for (; *text; text++, to++) {
		*to = *text;
		if (text[0] == '\\' && text[1])
			*to = *++text == 'n' ? '\n' : *text;
	}
	*to = '\0';
}

static bool read_command(struct command *command, char *line, size_t size)
{
	if (!fgets(line, size, stdin))
		return false;
	snprintf(command->name, sizeof(command->name), "%.*s", (int) strcspn(line, "\n"), line);
	command->count = 0;
	while (fgets(line, size, stdin) && line[0] != '\n') {
		struct field *field = &command->fields[command->count++];
		size_t name = strcspn(line, " ");
		line[strcspn(line, "\n")] = '\0';
		snprintf(field->name, sizeof(field->name), "%.*s", (int) name, line);
		strcpy(field->value, line + name + 1);
		unescape(field->value);
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct field fields[64];
	static char line[1 << 21];
	struct command command = { .fields = fields };
	void *plugin = dlopen(argv[argc - 1], RTLD_LAZY);

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	init = symbol(plugin, "init");
	fini = symbol(plugin, "fini");
	job_submit = symbol(plugin, "job_submit");
	job_modify = symbol(plugin, "job_modify");
	printf("name %s\n", (const char *) symbol(plugin, "plugin_name"));
	printf("type %s\n", (const char *) symbol(plugin, "plugin_type"));
	printf("version %d\n",
	       *(const uint32_t *) symbol(plugin, "plugin_version") == SLURM_VERSION_NUMBER);
	printf("rc %d\nend\n", init());
	fflush(stdout);
	while (read_command(&command, line, sizeof(line))) {
		long threads = number(&command, "threads", 0);
		if (!strcmp(command.name, "submit") && threads)
			submit_on_threads(&command, threads);
		else if (!strcmp(command.name, "submit"))
			submit(&command);
		else if (!strcmp(command.name, "modify"))
			modify(&command);
		else if (!strcmp(command.name, "live"))
			printf("live %ld\n", (long) live);
		else if (!strcmp(command.name, "reload"))
			printf("rc %d\n", fini() | init());
		printf("end\n");
		fflush(stdout);
	}
	dlclose(plugin);
	return 0;
}
