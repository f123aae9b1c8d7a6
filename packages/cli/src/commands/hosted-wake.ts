import { Command } from 'commander'
import { type TargetFlags, withTarget } from '../hosted/target.ts'
import type { Io } from '../io.ts'

export const createHostedWakeCommand = (io: Io): Command =>
  withTarget(new Command('wake'))
    .description('Has the server look at a session now; sends it nothing.')
    .argument('<session>', 'its id')
    .action(async (id: string, flags: TargetFlags) => {
      const { wakeSession } = await import('../hosted/wake.ts')
      await wakeSession(io, id, flags)
    })
