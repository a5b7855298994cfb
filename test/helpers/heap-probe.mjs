// Loaded into the process under test beside its program: on SIGUSR2 it collects all garbage and tells what memory is left in use.
process.on('SIGUSR2', () => {
  for (let times = 0; times < 3; times += 1) globalThis.gc();
  process.stderr.write(`memory ${JSON.stringify(process.memoryUsage())}\n`);
});
