import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { type TargetFlags, withTarget } from './target.ts'

export const createHostedStatusCommand = (io: Io): Command =>
  withTarget(new Command('status'))
    .description('Shows whether a server answers, what isolates and limits, and what runs.')
    .action(async (flags: TargetFlags) => {
      const { showStatus } = await import('./status.ts')
      await showStatus(io, flags)
    })
