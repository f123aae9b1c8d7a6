import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { type TargetFlags, withTarget } from './target.ts'

export const createHostedWakeCommand = (io: Io): Command =>
  withTarget(new Command('wake'))
    .description('Has the server look at a session now; sends it nothing.')
    .argument('<session>', 'its id')
    .action(async (id: string, flags: TargetFlags) => {
      const { wakeSession } = await import('./wake.ts')
      await wakeSession(io, id, flags)
    })
