import { createDaemonClient, type DaemonClient } from '@steward/contract/client'
import { type Cli, writeAction } from '../cli-process.ts'
import type { DaemonProcess } from '../daemon-process.ts'

const NOTES = [
  {
    domain: 'Ideas',
    title: 'Alerts must survive a restart',
    tags: ['alerts', 'queue'],
    body: 'A queue keeps what a cron run forgets. See [[exactly-once]] for why that is not enough, and [[ada-mertens]] for the numbers.',
  },
  {
    domain: 'Ideas',
    title: 'Exactly once',
    slug: 'exactly-once',
    tags: ['queue'],
    body: 'Nobody delivers exactly once. Send at least once and let the receiver know what it has seen.\n\n- an id for each alert\n- a table of ids that were sent\n\nBorrowed from [[queue-retries]].',
  },
  {
    domain: 'Research',
    title: 'How queues retry',
    slug: 'queue-retries',
    tags: ['queue', 'measured'],
    body: 'Three queues, one network that drops every tenth packet.\n\n| Queue | Lost | Twice |\n|---|---:|---:|\n| A | 0 | 12 |\n| B | 3 | 0 |',
  },
  {
    domain: 'People',
    title: 'Ada Mertens',
    slug: 'ada-mertens',
    tags: ['harbour'],
    body: 'Harbour master of Norderney. Wants one message a day, and one only. Works with [[wattline]].',
  },
  {
    domain: 'Companies',
    title: 'Wattline',
    slug: 'wattline',
    tags: ['gauges'],
    body: 'Runs the gauges. Their loggers restart at midnight.',
  },
] as const

/** Fails on a report without a number; the journey from a failure to its repair starts here. */
const CHECK_LEVELS = `export const execute = ({ content }) => {
  const [level] = /\\d+/.exec(content) ?? []
  if (level === undefined) throw new Error('no level in the report: expected a number of centimetres')
  return { level: Number(level) }
}
`
const MENDED = `export const execute = ({ content }) => ({ level: Number(/\\d+/.exec(content)?.[0] ?? 0) })
`

const writeCheckLevels = (cli: Cli, code: string): void =>
  writeAction(cli, 'A_CHECK_LEVELS', code, {
    description: 'Takes the water level out of a report.',
    input: {
      content: { type: 'string', required: true, description: 'The report of a gauge.' },
    },
    output: { level: { type: 'number' } },
  })

const SETTINGS = { voice: { provider: 'browser' } }

/** Enables hosted agents in the daemon, on a machine without isolation. */
export const switchHostedOn = (cli: Cli): void => {
  const hosted = { enabled: true, isolation: 'none', port: 0 }
  cli.write('settings.json', JSON.stringify({ ...SETTINGS, hosted }))
}

/** Writes her own action and a pipeline that uses it. */
export const writeScriptedDefinitions = (cli: Cli): void => {
  cli.write('settings.json', JSON.stringify(SETTINGS))
  writeCheckLevels(cli, CHECK_LEVELS)
  cli.write(
    'USER/PIPELINES/P_TIDE_REPORT.yaml',
    `name: P_TIDE_REPORT
description: A report of a gauge as a short text with its level.
version: 1.0.0
actions:
  - A_SUMMARIZE
  - A_CHECK_LEVELS
`,
  )
}

export const mendScriptedAction = (cli: Cli): void => writeCheckLevels(cli, MENDED)

export const clientOf = (daemon: DaemonProcess): DaemonClient =>
  createDaemonClient({ base: daemon.address, fetch, token: daemon.token() })

/**
 * The parts that need a daemon: notes, runs with the offline model, an announcement, a new refusal.
 */
export const playScriptedDay = async (daemon: DaemonProcess): Promise<{ failedRun: string }> => {
  const client = clientOf(daemon)
  for (const { tags, ...note } of NOTES) {
    await client.call('createNote', { body: { ...note, tags: [...tags] } })
  }
  const content =
    'The storm surge reached 612 centimetres at Norderney. The dikes held. Ferries stay in port until noon.'
  await client.call('startRun', { body: { name: 'F_SAMPLE_DIGEST' } })
  await client.call('startRun', { body: { name: 'A_SUMMARIZE', input: { content } } })
  await client.call('startRun', { body: { name: 'F_SAMPLE_REFINE' } })
  const failing = { name: 'P_TIDE_REPORT', input: { content: 'Calm sea. No report today.' } }
  const { id } = await client.call('startRun', { body: failing })
  await client.call('createTask', {
    body: {
      description: 'Ask Ada about the marks',
      schedule: 'every monday at 9',
      action: { type: 'notify', message: 'Ada wanted to look at the marks.' },
    },
  })
  await client.call('addOpinion', {
    body: { topic: 'tests', position: 'A test that cannot fail says nothing.' },
  })
  // She is in a meeting.
  await client.call('muteVoice', { body: { minutes: 60 } })
  await refuse(daemon)
  return { failedRun: id }
}

export const REFUSED_COMMAND = 'mkfs.ext4 /dev/sda1'

/** An assistant requests a destructive command; returns the response. */
export const refuse = (daemon: DaemonProcess): Promise<unknown> =>
  clientOf(daemon).call('guardSecurity', {
    query: { host: 'claude' },
    body: {
      session_id: 'a3d42f11-queue',
      hook_event_name: 'PreToolUse',
      cwd: '/projects/tidewatch',
      tool_name: 'Bash',
      tool_input: { command: REFUSED_COMMAND },
    },
  })
