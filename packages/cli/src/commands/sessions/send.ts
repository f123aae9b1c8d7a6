import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { attachTo, describeDriven } from './attach.ts'
import { ID_CHARS, openSessionsClient } from './sessions-client.ts'

interface SendFlags {
  detach?: true
  json?: true
}

const HELP = `
A session that Steward started gets the message as its next prompt, and is followed.
Other sessions get it as a reply while their finished turn is kept open
(answers.replySeconds), or are resumed once they have ended: Claude Code, Codex and
OpenCode. Gemini takes messages only in its terminal. A session that is still open in
a terminal is refused, because that would continue a second copy of it.
Requests for permission appear in steward answer.
`

const DONE = { reply: 'has your reply', resume: 'continues' } as const

export const createSendCommand = (io: Io): Command =>
  new Command('send')
    .description('Send a message to a session')
    .argument('<id>', 'the session: last, its id, or the beginning of its id')
    .argument('<message>', 'the message')
    .option('--detach', 'do not follow it')
    .option('--json', 'print JSON; implies --detach')
    .addHelpText('after', HELP)
    .action(async (id: string, text: string, { detach, json }: SendFlags) => {
      const client = await openSessionsClient(io)
      const sent = await client.call('sendToSession', { params: { id }, body: { text } })
      if (json) return printJson(io.out, sent)
      if (sent.as !== 'prompt') {
        io.out.write(`session ${sent.id.slice(0, ID_CHARS)} ${DONE[sent.as]}\n`)
      } else if (!detach) await attachTo(io, sent.id, true)
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
