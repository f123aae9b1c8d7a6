import { type DaemonClient, parseDuration, type VoiceStatus } from '@steward/contract'
import { Command, InvalidArgumentError } from 'commander'
import { requireDaemonClient } from '../../daemon/daemon-client.ts'
import { EXIT } from '../../errors/exit-codes.ts'
import { collectText } from '../../input/collect-text.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'

interface SayFlags {
  voice?: string
  agent?: string
  json?: true
}

const HELP = `
Examples:
  steward voice                          show the provider, the reason and its state
  steward voice say "Tea is ready"
  steward voice test                     speak a line and print the result
  steward voice mute 30m                 mute; errors and security alerts wait until it ends
  steward voice mute off
  steward voice interrupt --all          stop speaking and clear the queue

Set up in settings.json under voice and daidentity.voices; see docs/voice.md.
`

export const createVoiceCommand = (io: Io): Command =>
  new Command('voice')
    .description('Manage and stop speech')
    .addCommand(createStatusCommand(io), { isDefault: true })
    .addCommand(createSayCommand(io))
    .addCommand(createTestCommand(io))
    .addCommand(createMuteCommand(io))
    .addCommand(createInterruptCommand(io))
    .addHelpText('after', HELP)

const createStatusCommand = (io: Io): Command =>
  new Command('status')
    .description('Show the speech provider, its reason and the queue')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const status = await (await openVoiceClient(io)).call('getVoice')
      if (json) printJson(io.out, status)
      else io.out.write(renderVoice(status, io.out.paint))
    })

const createSayCommand = (io: Io): Command =>
  new Command('say')
    .description('Queue a text to be spoken; does not wait')
    .argument('<text>', 'the text to speak; - reads standard input')
    .option('--voice <id>', 'a voice of the speech provider')
    .option('--agent <name>', 'in the voice of this agent')
    .option('--json', 'print JSON')
    .action(async (text: string, { voice, agent, json }: SayFlags) => {
      const message = text === '-' ? await collectText(io.stdin, 'standard input') : text
      const client = await openVoiceClient(io)
      const answer = await client.call('notify', {
        body: {
          message,
          ...(voice === undefined ? {} : { voice_id: voice }),
          ...(agent === undefined ? {} : { agent }),
        },
      })
      if (json) printJson(io.out, answer)
      else io.out.write(answer.queued ? 'queued\n' : 'not spoken: speech is off or muted\n')
    })

const createTestCommand = (io: Io): Command =>
  new Command('test')
    .description('Speak a test line and report the result')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const client = await openVoiceClient(io)
      const { delivered, detail } = await client.call('testChannel', { body: { channel: 'voice' } })
      if (json) printJson(io.out, { delivered, detail })
      else io.out.write(delivered ? `spoken: ${detail}\n` : `not spoken: ${detail}\n`)
      if (!delivered) io.exitCode = EXIT.failed
    })

const createMuteCommand = (io: Io): Command =>
  new Command('mute')
    .description('Mute speech for a time such as 30m or 2h; off unmutes')
    .argument('<duration>', '30m, 2h, 1h30m or off', parseMinutes)
    .option('--json', 'print JSON')
    .action(async (minutes: number, { json }: { json?: true }) => {
      const { muted_until } = await (await openVoiceClient(io)).call('muteVoice', {
        body: { minutes },
      })
      if (json) printJson(io.out, { muted_until })
      else io.out.write(muted_until === null ? 'not muted\n' : `muted until ${muted_until}\n`)
    })

const createInterruptCommand = (io: Io): Command =>
  new Command('interrupt')
    .description('Stop speaking')
    .option('--all', 'also clear the queue')
    .option('--json', 'print JSON')
    .action(async ({ all = false, json }: { all?: boolean; json?: true }) => {
      const answer = await (await openVoiceClient(io)).call('interruptVoice', { body: { all } })
      if (json) printJson(io.out, answer)
      else io.out.write(`${answer.interrupted} ended\n`)
    })

const MINUTE_MS = 60_000
const LONGEST_MINUTES = 7 * 24 * 60

const parseMinutes = (word: string): number => {
  if (word === 'off') return 0
  const minutes = (parseDuration(word) ?? 0) / MINUTE_MS
  if (minutes > 0 && minutes <= LONGEST_MINUTES) return minutes
  throw new InvalidArgumentError('It must be a time such as 30m or 2h, at most 7d, or off.')
}

/** `GET /voice` for people. */
const renderVoice = (status: VoiceStatus, paint: Paint): string => {
  const { queue_depth, speaking, muted_until, quiet, player, last_error, providers } = status
  const now = [
    speaking ? 'speaking' : undefined,
    `${queue_depth} waiting`,
    muted_until === null ? undefined : `muted until ${muted_until}`,
    quiet ? 'quiet hours' : undefined,
  ].filter((part) => part !== undefined)
  const rows = providers.map(({ name, available, reason, circuit, retryAt, lastError }) => [
    `  ${name}`,
    available && circuit === 'closed'
      ? paint.green('ready')
      : paint.dim(available ? 'rests' : 'no'),
    cleanText(lastError === null ? reason : `${lastError}${retryAt ? `; again ${retryAt}` : ''}`),
  ])
  return [
    `${paint.bold(status.voice_system)}  ${now.join(', ')}`,
    cleanText(status.explanation),
    `player ${player ?? 'none'}, ${status.pronunciation_rules} pronunciations, voices ${status.configured_voices.map(cleanText).join(', ') || 'none'}`,
    ...(last_error === null ? [] : [`${paint.yellow('last error:')} ${cleanText(last_error)}`]),
    ...(status.quota_exceeded ? [paint.yellow('a quota is used up')] : []),
    formatTable(rows),
  ].join('\n')
}

const openVoiceClient = (io: Io): Promise<DaemonClient> =>
  requireDaemonClient(io, { subject: 'the voice', why: 'the daemon speaks' })
