-- What sites write: the partition follows from a table. Jobs of the benchmark ask for one CPU and
-- reach the last row, where the benchmark puts the partition that fedsched's answer names as well.

local routes = {
   { gres = "gpu", partition = "gpu" },
   { cpus = 32, partition = "big" },
   { partition = "@PARTITION@" },
}

local function matches(route, job)
   if route.gres and not (job.gres or ""):find(route.gres, 1, true) then
      return false
   end
   return not route.cpus or (job.min_cpus ~= slurm.NO_VAL and job.min_cpus >= route.cpus)
end

function slurm_job_submit(job, partitions, submit_uid)
   if job.partition == nil then
      for _, route in ipairs(routes) do
         if matches(route, job) then
            job.partition = route.partition
            break
         end
      end
   end
   return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, modify_uid)
   return slurm.SUCCESS
end

return slurm.SUCCESS
