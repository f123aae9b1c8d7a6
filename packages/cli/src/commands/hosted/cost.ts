import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { type TargetFlags, withTarget } from './target.ts'

export const createHostedCostCommand = (io: Io): Command =>
  withTarget(new Command('cost'))
    .description('Show the cost of a session: tokens, and $0.08 per hour')
    .argument('<session>', 'its id')
    .action(async (id: string, flags: TargetFlags) => {
      const { withServer } = await import('./with-server.ts')
      const { billOf } = await import('./session-cost.ts')
      const { renderBill } = await import('./session-cost.ts')
      await withServer(
        io,
        flags,
        async ({ client }) => {
          const bill = billOf(await client.beta.sessions.retrieve(id))
          if (flags.json) printJson(io.out, bill)
          else io.out.write(renderBill(bill))
        },
        { sessions: true },
      )
    })
