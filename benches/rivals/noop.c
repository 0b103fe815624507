/*
 * The least a job_submit plugin can be: what any plugin costs slurmctld before it does anything.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdint.h>

#include <slurm/slurm.h>

const char plugin_name[] = "No-op submit plugin";
const char plugin_type[] = "job_submit/noop";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int job_submit(job_desc_msg_t *job, uint32_t submit_uid, char **message)
{
	(void) job;
	(void) submit_uid;
	(void) message;
	return SLURM_SUCCESS;
}
