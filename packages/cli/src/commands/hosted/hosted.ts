import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { createHostedAdviseCommand } from './advise.ts'
import { createHostedAgentsCommand } from './agents.ts'
import { createHostedDeploymentsCommand } from './deployments.ts'
import { createHostedEnvironmentsCommand } from './environments.ts'
import { createHostedFilesCommand } from './files.ts'
import { createHostedInitCommand } from './init.ts'
import { createHostedKeysCommand } from './keys.ts'
import { createHostedMemoryCommand } from './memory.ts'
import { createHostedResourcesCommand } from './resources.ts'
import { createHostedSendCommand } from './send.ts'
import { createHostedServeCommand } from './serve.ts'
import { createHostedSessionsCommand } from './sessions.ts'
import { createHostedSkillsCommand } from './skills.ts'
import { createHostedStatusCommand } from './status.ts'
import { createHostedStreamCommand } from './stream.ts'
import { type TargetFlags, withTarget } from './target.ts'
import { createHostedVaultsCommand } from './vaults.ts'
import { createHostedWakeCommand } from './wake.ts'
import { createHostedWebhooksCommand } from './webhooks.ts'

const HELP = `
Examples:
  steward hosted serve                                  run the server in the foreground
  steward hosted init                                   create a first agent and session
  steward hosted send SESSION "Count the files here"    send a message; show events until it is idle
  steward hosted stream SESSION --deltas                follow its events and texts as they arrive
  steward hosted sessions                               list sessions with their cost
  steward hosted keys create --name ci --scope write    create a key for another program
  steward hosted sessions --vendor                      the same commands on the vendor's servers

Commands use the server of this data home; --url and --vendor choose another. Exit codes: 0 done,
1 failed, 2 usage, 3 not found, 4 conflict (send: the session waits for your answer),
5 not set up, for example because no server runs. See docs/hosted.md.
`

export const createHostedCommand = (io: Io): Command =>
  new Command('hosted')
    .description('Serve and use agents that run for hours in a sandbox')
    .addCommand(createHostedServeCommand(io))
    .addCommand(createHostedInitCommand(io))
    .addCommand(createHostedSendCommand(io))
    .addCommand(createHostedStreamCommand(io))
    .addCommand(createHostedSessionsCommand(io))
    .addCommand(createHostedAgentsCommand(io))
    .addCommand(createHostedEnvironmentsCommand(io))
    .addCommand(createHostedDeploymentsCommand(io))
    .addCommand(createHostedFilesCommand(io))
    .addCommand(createHostedResourcesCommand(io))
    .addCommand(createHostedSkillsCommand(io))
    .addCommand(createHostedMemoryCommand(io))
    .addCommand(createHostedVaultsCommand(io))
    .addCommand(createHostedWebhooksCommand(io))
    .addCommand(createHostedCostCommand(io))
    .addCommand(createHostedWakeCommand(io))
    .addCommand(createHostedKeysCommand(io))
    .addCommand(createHostedStatusCommand(io))
    .addCommand(createHostedAdviseCommand(io))
    .addHelpText('after', HELP)

const createHostedCostCommand = (io: Io): Command =>
  withTarget(new Command('cost'))
    .description('Show the cost of a session: tokens, and $0.08 per hour')
    .argument('<session>', 'its id')
    .action(async (id: string, flags: TargetFlags) => {
      const { withServer } = await import('./with-server.ts')
      const { billOf, renderBill } = await import('./session-cost.ts')
      const { readEstimated } = await import('./read-estimated.ts')
      await withServer(
        io,
        flags,
        async (connection) => {
          const session = await connection.client.beta.sessions.retrieve(id)
          const bill = billOf(session, await readEstimated(connection, id))
          if (flags.json) printJson(io.out, bill)
          else io.out.write(renderBill(bill))
        },
        { sessions: true },
      )
    })
