/*
 * Submits batch jobs one after the other from one process and tells how long each took.
 *
 * A process for each job, as sbatch is, costs milliseconds and varies by more than a plugin takes;
 * slurm_submit_batch_job() is the call in it that slurmctld answers.
 *
 * Reads orders from standard input, a line each:
 *
 *   submit NAME COUNT [PARTITION]
 *                       COUNT equal jobs of that name, and a line "NS MESSAGE" for each: nanoseconds
 *                       until slurmctld's answer, and what its plugin had to say
 *   ask NAME COMMENT    one job of that name and comment; a line with what the plugin had to say
 *   fill COUNT          COUNT jobs of many different shapes; a line "filled COUNT"
 *   change COUNT        another time limit for COUNT of the jobs, others each time; a line "changed COUNT"
 *   cancel              cancels everything submitted since the last time; a line "cancelled COUNT"
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define JOBS_MAX 20000

/* About what users write. */
static char script[] =
	"#!/bin/bash\n"
	"#SBATCH --ntasks=1\n"
	"#SBATCH --time=00:10:00\n"
	"#SBATCH --output=/dev/null\n"
	"#SBATCH --mail-type=FAIL\n"
	"\n"
	"# One step of a parameter study: prepare the input, run the model, keep the result.\n"
	"set -euo pipefail\n"
	"module load gcc openmpi fftw\n"
	"cd \"$SLURM_SUBMIT_DIR\"\n"
	"mkdir -p \"run-$SLURM_JOB_ID\" && cd \"run-$SLURM_JOB_ID\"\n"
	"cp ../input.toml ../mesh.h5 .\n"
	"sed -i \"s/@SEED@/$SLURM_JOB_ID/\" input.toml\n"
	"srun ../bin/model --config input.toml --mesh mesh.h5 --output result.h5\n"
	"gzip -9 model.log\n"
	"mv result.h5 \"../results/$SLURM_JOB_ID.h5\"\n";

static char *environment[] = {
	"HOME=/home/user1",
	"LANG=C.UTF-8",
	"PATH=/usr/local/bin:/usr/bin:/bin",
	"SHELL=/bin/bash",
	"USER=user1",
	NULL,
};

static uint32_t jobs[JOBS_MAX];
static size_t jobs_count;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static void fail(const char *what)
{
	printf("error: %s: %s\n", what, slurm_strerror(slurm_get_errno()));
	exit(1);
}

static void describe(job_desc_msg_t *job, char *name)
{
	slurm_init_job_desc_msg(job);
	job->name = name;
	job->script = script;
	job->environment = environment;
	job->env_size = sizeof(environment) / sizeof(*environment) - 1;
	job->work_dir = "/home/user1";
	job->std_out = "/dev/null";
	job->user_id = getuid();
	job->group_id = getgid();
	job->min_nodes = 1;
	job->min_cpus = 1;
	job->num_tasks = 1;
	job->time_limit = 10;
}

/* Submits, remembers the job for its end, and gives the plugin's message to the caller. */
static char *submit(job_desc_msg_t *job, uint64_t *spent)
{
	submit_response_msg_t *answer = NULL;
	char *message;
	uint64_t start;

	if (jobs_count == JOBS_MAX) {
		printf("error: more than %d jobs\n", JOBS_MAX);
		exit(1);
	}
	start = now_ns();
	if (slurm_submit_batch_job(job, &answer) != SLURM_SUCCESS)
		fail("submission");
	*spent = now_ns() - start;
	jobs[jobs_count++] = answer->job_id;
	message = strdup(answer->job_submit_user_msg ? answer->job_submit_user_msg : "0");
	slurm_free_submit_response_response_msg(answer);
	return message;
}

static void submit_equal(char *name, unsigned int count, char *partition)
{
	job_desc_msg_t job;
	uint64_t spent;
	char *message;

	describe(&job, name);
	job.partition = partition;
	for (unsigned int i = 0; i < count; i++) {
		message = submit(&job, &spent);
		printf("%llu %s\n", (unsigned long long) spent, message);
		free(message);
	}
}

static void ask(char *name, char *comment)
{
	job_desc_msg_t job;
	uint64_t spent;
	char *message;

	describe(&job, name);
	job.comment = comment;
	message = submit(&job, &spent);
	printf("%s\n", message);
	free(message);
}

static void fill(unsigned int count)
{
	char name[32];
	job_desc_msg_t job;
	uint64_t spent;

	for (unsigned int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "study-%u", i);
		describe(&job, name);
		job.num_tasks = job.min_cpus = 1 + i % 8;
		job.time_limit = 10 + i % 60;
		free(submit(&job, &spent));
	}
	printf("filled %u\n", count);
}

static void change(unsigned int count)
{
	static size_t next, edition;
	job_desc_msg_t job;

	for (unsigned int i = 0; i < count && jobs_count > 0; i++, next++) {
		if (next >= jobs_count) {
			next = 0;
			edition++;
		}
		slurm_init_job_desc_msg(&job);
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
		job.job_id = jobs[next];
#else
		job.step_id.job_id = jobs[next];
#endif
		job.time_limit = 80 + edition % 2;
		if (slurm_update_job(&job) != SLURM_SUCCESS)
			fail("update");
	}
	printf("changed %u\n", count);
}

static void cancel(void)
{
	size_t count = jobs_count;

	while (jobs_count > 0)
		if (slurm_kill_job(jobs[--jobs_count], SIGKILL, 0) &&
		    slurm_get_errno() != ESLURM_ALREADY_DONE)
			fail("cancellation");
	printf("cancelled %zu\n", count);
}

int main(void)
{
	char line[256], word[32], partition[32];
	unsigned int count;
	int rest, words;

	slurm_init(NULL);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		words = sscanf(line, "submit %31s %u %31s", word, &count, partition);
		if (words >= 2) {
			submit_equal(word, count, words == 3 ? partition : NULL);
		} else if (sscanf(line, "ask %31s %n", word, &rest) == 1) {
			ask(word, line + rest);
		} else if (sscanf(line, "fill %u", &count) == 1) {
			fill(count);
		} else if (sscanf(line, "change %u", &count) == 1) {
			change(count);
		} else if (!strcmp(line, "cancel")) {
			cancel();
		} else {
			printf("error: no such order: %s\n", line);
			return 1;
		}
		fflush(stdout);
	}
	return 0;
}
