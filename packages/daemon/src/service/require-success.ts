import { StewardError } from '@steward/contract'
import type { CommandResult, SupervisorPorts } from './supervisor.ts'

/** Runs a system command that must succeed; what it said on standard error is the reason when it did not. */
export const requireSuccess = async (
  run: SupervisorPorts['run'],
  argv: readonly string[],
): Promise<CommandResult> => {
  const result = await run(argv)
  if (result.code === 0) return result
  const said = result.stderr.trim() || result.stdout.trim() || `it ended with ${result.code}`
  throw new StewardError('upstream_failed', { service: argv.join(' '), reason: said })
}
