import { Command } from 'commander'
import { type TargetFlags, withTarget } from '../hosted/target.ts'
import type { Io } from '../io.ts'

export const createHostedStatusCommand = (io: Io): Command =>
  withTarget(new Command('status'))
    .description('Shows whether a server answers, what isolates and limits, and what runs.')
    .action(async (flags: TargetFlags) => {
      const { showStatus } = await import('../hosted/status.ts')
      await showStatus(io, flags)
    })
