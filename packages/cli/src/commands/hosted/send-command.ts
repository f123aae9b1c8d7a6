import { Command } from 'commander'
import { collectOption } from '../../input/collect-option.ts'
import type { Io } from '../../io.ts'
import type { SendFlags } from './command-flags.ts'
import { withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted send sesn_01… "Write a haiku about locks to haiku.txt"
  steward hosted send sesn_01… @plan.md                 a file's text; - is standard input
  steward hosted send sesn_01… --allow sevt_01…         lets a tool run that waits for you
  steward hosted send sesn_01… --deny sevt_01… --message "not in this folder"
  steward hosted send sesn_01… --result sevt_01… "42"   answers a custom tool
  steward hosted send sesn_01… --interrupt              ends what it does now
  steward hosted send sesn_01… "go on" --no-wait        sends and leaves

Shows what happens until the session is idle; a lost connection is taken up again. On a terminal a
tool that waits is asked about at once. Exit codes: 0 its turn is done, 1 it gave up, refused, or its
budget is used up, 4 it waits for an answer of yours.
`

export const createHostedSendCommand = (io: Io): Command =>
  withTarget(new Command('send'))
    .description('Sends to a session and shows what happens.')
    .argument('<session>', 'its id')
    .argument('[text]', 'what to say; with --result, what came of it')
    .option('--allow <event>', 'let this call of a tool run; repeatable', collectOption)
    .option('--deny <event>', 'refuse this call of a tool; repeatable', collectOption)
    .option('--message <text>', 'with --deny: why, for the agent to read')
    .option('--result <event>', 'answer this call of a custom tool with the text')
    .option('--error', 'with --result: the call failed')
    .option('--interrupt', 'end what it does now')
    .option('--no-wait', 'do not wait until it is idle')
    .addHelpText('after', HELP)
    .action(async (session: string, text: string | undefined, flags: SendFlags) => {
      const { sendToSession } = await import('./send.ts')
      await sendToSession(io, session, text, flags)
    })
