import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { attachTo, describeDriven } from './attach.ts'
import { openSessionsClient } from './sessions-client.ts'

interface SendFlags {
  detach?: true
  json?: true
}

export const createSendCommand = (io: Io): Command =>
  new Command('send')
    .description('Send a message to a started session')
    .argument('<id>', 'the session: its id, or the beginning of it')
    .argument('<message>', 'what it should do next')
    .option('--detach', 'do not follow it')
    .option('--json', 'print JSON; implies --detach')
    .action(async (id: string, text: string, { detach, json }: SendFlags) => {
      const client = await openSessionsClient(io)
      const session = await client.call('sendToSession', { params: { id }, body: { text } })
      if (json) return printJson(io.out, session)
      if (!detach) await attachTo(io, session.id, true)
    })

export const createStopCommand = (io: Io): Command =>
  new Command('stop')
    .description('Stop a started session')
    .argument('<id>', 'the session: its id, or the beginning of it')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const session = await (await openSessionsClient(io)).call('stopSession', { params: { id } })
      if (json) return printJson(io.out, session)
      io.out.write(`${describeDriven(session)}\n`)
    })
