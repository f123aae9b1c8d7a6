import { HOSTED_LIMITS } from '@steward/contract'
import { Command, InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { formatDollars } from './money.ts'

const HELP = `
Hosted sessions are for work that runs for hours without you, must survive a closed lid, needs a
sandbox without credentials, or is started by CI or a webhook. They are not for interactive work,
for anything under 30 minutes, or for what needs your machine's own files and instructions.
`

export const createHostedAdviseCommand = (io: Io): Command =>
  new Command('advise')
    .description('Advise whether work of this length needs hosting')
    .argument('<minutes>', 'how long you expect it to run', parseMinutes)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((minutes: number, { json }: { json?: true }) => {
      const advice = adviseOn(minutes)
      if (json) printJson(io.out, advice)
      else
        io.out.write(
          `${advice.worthIt ? 'worth it' : 'not worth it'}: ${advice.reason}\n` +
            `the time itself would cost ${formatDollars(advice.sessionDollars)} ($0.08 an hour), beside the tokens\n`,
        )
    })

const parseMinutes = (text: string): number => {
  const minutes = Number(text)
  if (text.trim() !== '' && Number.isFinite(minutes) && minutes > 0) return minutes
  throw new InvalidArgumentError('It must be a number of minutes above 0.')
}

interface Advice {
  minutes: number
  worthIt: boolean
  reason: string
  sessionHours: number
  /** The cost of the time, without tokens. */
  sessionDollars: number
}

/** Spec 3, Limits: tasks under 30 minutes are not worth the coordination overhead. */
const BREAK_EVEN_MINUTES = 30
const NANO = 1e9

/** Whether work of this length is worth a hosted session. */
export const adviseOn = (minutes: number): Advice => {
  const worthIt = minutes >= BREAK_EVEN_MINUTES
  const sessionHours = minutes / 60
  return {
    minutes,
    worthIt,
    reason: worthIt
      ? `from ${BREAK_EVEN_MINUTES} minutes on, running without you outweighs setting it up and checking it`
      : `under ${BREAK_EVEN_MINUTES} minutes, setting it up and checking it takes longer than it saves; do it in your assistant`,
    sessionHours,
    sessionDollars: (sessionHours * HOSTED_LIMITS.sessionHourNanoDollars) / NANO,
  }
}
