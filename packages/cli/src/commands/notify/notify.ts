import {
  CHANNELS,
  type ChannelName,
  channelName,
  NOTIFICATION_KINDS,
  type NotificationKind,
  notificationKind,
  StewardError,
} from '@steward/contract'
import type { DeliveryState, Notice, NoticeOutcome, Notifier, Priority } from '@steward/notify'
import { Command, InvalidArgumentError } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import { collectText } from '../../input/collect-text.ts'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { deliverNotice, type SentTo } from '../../notifier/deliver-notice.ts'
import { withNotifier } from '../../notifier/open-notifier.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { setUpPush } from './set-up-push.ts'
import { showLog } from './show-log.ts'
import { testChannel } from './test-channel.ts'

interface NotifyFlags {
  title?: string
  kind?: NotificationKind
  channel?: ChannelName[]
  priority?: Priority
  click?: string
  test?: ChannelName
  setup?: 'push'
  force?: true
  log?: true
  limit: number
  json?: true
}

const HELP = `
Examples:
  steward notify "The build is done"                 to push when it is set up, else the desktop
  steward notify "Disk full" --kind error            to the channels of notifications.routing
  make 2>&1 | tail -20 | steward notify - --channel chat --title make
  steward notify --setup push                        create a topic and explain how to subscribe
  steward notify --test chat                         send a test message and report problems
  steward notify --log                               list notifications and their delivery

Accepted notifications are stored on disk. Failed deliveries are retried while the daemon runs.
`

export const createNotifyCommand = (io: Io): Command =>
  new Command('notify')
    .description('Send a notification: push, chat, desktop, email')
    .argument('[message]', 'the message; - reads standard input')
    .option('--title <text>', 'its title')
    .option('--kind <kind>', NOTIFICATION_KINDS.join(', '), parseKind)
    .option('--channel <name>', `${CHANNELS.join(', ')}; may be repeated`, collectChannels)
    .option('--priority <1-5>', '5 is the most urgent', parsePriority)
    .option('--click <address>', 'address that a tap on the push opens')
    .option('--test <channel>', 'send a test message and report the result', parseChannel)
    .option('--setup <channel>', 'push: create a topic and enable it', parseSetup)
    .option('--force', 'with --setup: replace the existing topic')
    .option('--log', 'show the delivery log')
    .option('--limit <count>', 'with --log: maximum number of entries', parseCount, 50)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((message: string | undefined, flags: NotifyFlags) => run(io, message, flags))

const run = async (io: Io, message: string | undefined, flags: NotifyFlags): Promise<void> => {
  const { test, setup, log, limit, force, json = false } = flags
  if ([message, test, setup, log].filter((given) => given !== undefined).length !== 1) {
    throw wrong('give a message, or one of --test, --setup and --log')
  }
  if (setup !== undefined) return setUpPush(io, { force: force === true, json })
  return withNotifier(io, async (notifier) => {
    if (test !== undefined) return testChannel(io, notifier, test, json)
    if (log === true) return showLog(io, notifier, limit, json)
    const text = message === '-' ? await collectText(io.stdin, 'standard input') : (message ?? '')
    if (text.trim() === '') throw wrong('the message is empty')
    const { title, kind, channel: channels, priority, click } = flags
    const notice = { message: text, title, kind, channels, priority, click }
    return sendNotice(io, notifier, notice, json)
  })
}

const wrong = (reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'notify', reason })

const parseChannel = (word: string): ChannelName => {
  const parsed = channelName.safeParse(word)
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError(`It must be one of ${CHANNELS.join(', ')}.`)
}

const collectChannels = (word: string, before: ChannelName[] = []): ChannelName[] => [
  ...before,
  parseChannel(word),
]

const parseKind = (word: string): NotificationKind => {
  const parsed = notificationKind.safeParse(word)
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError(`It must be one of ${NOTIFICATION_KINDS.join(', ')}.`)
}

const PRIORITIES: readonly Priority[] = [1, 2, 3, 4, 5]

const parsePriority = (word: string): Priority => {
  const priority = PRIORITIES.find((known) => String(known) === word)
  if (priority !== undefined) return priority
  throw new InvalidArgumentError('It must be a number from 1 to 5.')
}

const SET_UP_ELSEWHERE =
  'Only push can be set up this way; for the others see docs/notifications.md.'

const parseSetup = (word: string): 'push' => {
  if (word === 'push') return word
  throw new InvalidArgumentError(SET_UP_ELSEWHERE)
}

/** Sends a notice and prints the result per channel. */
const sendNotice = async (
  io: Io,
  notifier: Notifier,
  notice: Notice,
  json: boolean,
): Promise<void> => {
  const { outcome, sent } = await deliverNotice(notifier, notice)
  if (json) printJson(io.out, { id: outcome.id, kind: outcome.kind, deliveries: sent })
  else io.out.write(describe(sent, outcome))
  io.exitCode = exitCodeOf(sent)
}

const describe = (sent: readonly SentTo[], { kind }: NoticeOutcome): string => {
  if (sent.length === 0) {
    return `notifications.routing sends ${kind ?? 'this'} to no channel; nothing was sent (--channel names one)\n`
  }
  return sent
    .map(({ channel, state, detail }) => {
      const more = detail === null ? '' : `: ${cleanText(detail)}`
      return `${channel}: ${WORDS[state]}${more}\n`
    })
    .join('')
}

const WORDS: Readonly<Record<DeliveryState, string>> = {
  waiting: 'waiting; the daemon retries it',
  delivered: 'delivered',
  failed: 'failed',
  merged: 'merged with the same message of the last minute',
  skipped: 'skipped',
}

const exitCodeOf = (sent: readonly SentTo[]): number => {
  if (sent.some(({ state }) => state === 'failed')) return EXIT.failed
  const isAllSkipped = sent.length > 0 && sent.every(({ state }) => state === 'skipped')
  return isAllSkipped ? EXIT.notConfigured : EXIT.success
}
