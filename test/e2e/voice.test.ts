import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { notifyAnswer, voiceStatus } from '@steward/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import {
  createVoiceMachine,
  eventually,
  isRunning,
  readVoiceEvents,
  type VoiceMachine,
} from './voice-machine.ts'

let cli: Cli
let daemon: DaemonProcess | undefined

beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  await daemon?.stop()
  daemon = undefined
  cli.remove()
})

const start = async (machine: VoiceMachine): Promise<DaemonProcess> => {
  daemon = await startDaemonProcess(cli, { env: machine.env })
  return daemon
}
const notify = async (to: DaemonProcess, body: Record<string, unknown>) => {
  const response = await to.fetch('/notify', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return notifyAnswer.parse(await response.json())
}
const readStatus = async (of: DaemonProcess) =>
  voiceStatus.parse(await (await of.fetch('/voice')).json())

/** Every start is followed by its own end, so two voices never overlap. */
const expectOneAtATime = (played: readonly string[]) => {
  for (let at = 0; at + 1 < played.length; at += 2) {
    const [first = '', second] = [played[at], played[at + 1]]
    expect(second).toBe(first.replace('start', 'end'))
  }
}

test('500 announcements at once: all answered, spoken one at a time, urgent ones first', async () => {
  const machine = createVoiceMachine(cli)
  const running = await start(machine)
  const kinds = ['error', 'error', 'security']
  const given = Array.from({ length: 500 }, (_, index) => ({
    message: `line ${index}`,
    kind: kinds[index % 3],
  }))
  const answers = await Promise.all(given.map((body) => notify(running, body)))
  expect(answers.every(({ queued }) => queued)).toBe(true)
  expect(new Set(answers.map(({ id }) => id)).size).toBe(500)
  await eventually(() => machine.played().length === 1000, 'all lines')
  expectOneAtATime(machine.played())
  const said = machine.said()
  expect(said.toSorted()).toEqual(given.map(({ message }) => message).toSorted())
  // Announcements spoken while others still arrived had no competition; after them security comes
  // first.
  const isUrgent = (line: string) => Number(line.slice(5)) % 3 === 2
  const firstCalm = said.findLastIndex(isUrgent) + 1
  const early = said.slice(0, firstCalm).filter((line) => !isUrgent(line))
  expect(early.length).toBeLessThan(100)
  await eventually(async () => (await readStatus(running)).queue_depth === 0, 'an empty queue')
})

test('killed repeatedly: nothing is lost and nothing is said twice', async () => {
  const machine = createVoiceMachine(cli)
  const messages = Array.from({ length: 120 }, (_, index) => `line ${index}`)
  const first = await start(machine)
  const answers = await Promise.all(
    messages.map((message) => notify(first, { message, kind: 'error' })),
  )
  expect(answers.every(({ queued }) => queued)).toBe(true)
  for (const reached of [10, 40, 80]) {
    await eventually(() => machine.said().length >= reached, `${reached} lines`)
    await daemon?.kill()
    await start(machine)
  }
  const endings = () => readVoiceEvents(cli).filter(({ type }) => type !== 'voice_start')
  await eventually(() => endings().length >= messages.length, 'an end of every line')
  const said = machine.said()
  expect(new Set(said).size).toBe(said.length)
  const cut = endings().filter(({ reason }) => reason === 'interrupted_by_restart')
  expect(cut.length).toBeLessThanOrEqual(3)
  expect(new Set(endings().map(({ message }) => message))).toEqual(new Set(messages))
  const complete = endings().filter(({ type }) => type === 'voice_complete')
  expect(complete.length + cut.length).toBe(messages.length)
  // Announcements that were never spoken are recorded as interrupted.
  const unsaid = messages.filter((message) => !said.includes(message))
  expect(cut.map(({ message }) => message)).toEqual(expect.arrayContaining(unsaid))
})

test('the voice of a killed daemon ends before the next one speaks', async () => {
  const machine = createVoiceMachine(cli)
  machine.setSeconds(600)
  const first = await start(machine)
  await notify(first, { message: 'a long story', kind: 'error' })
  await eventually(() => machine.played().length === 1, 'the story')
  await notify(first, { message: 'news', kind: 'error' })
  await first.kill()
  machine.setSeconds(0)
  await start(machine)
  await eventually(() => machine.played().length >= 3, 'the news')
  const [storyStart = '', newsStart = '', newsEnd] = machine.played()
  expect(newsEnd).toBe(newsStart.replace('start', 'end'))
  expect(isRunning(Number(storyStart.split(' ')[1]))).toBe(false)
  expect(machine.said()).toEqual(['a long story', 'news'])
  expect(readdirSync(join(cli.home, 'state', 'speech', 'playing'))).toEqual([])
})

test('two daemons of one person take turns', async () => {
  const other = createCli()
  const machine = createVoiceMachine(cli)
  machine.setSeconds(0.2)
  // One person has the same home folder for two data homes.
  const env = { ...machine.env, HOME: cli.files }
  const [one, two] = await Promise.all([
    startDaemonProcess(cli, { env }),
    startDaemonProcess(other, { env }),
  ])
  try {
    await Promise.all(
      [0, 1, 2, 3].map((index) =>
        notify(index % 2 === 0 ? one : two, { message: `line ${index}`, kind: 'error' }),
      ),
    )
    await eventually(() => machine.played().length === 8, 'all lines of both')
    expectOneAtATime(machine.played())
  } finally {
    await Promise.all([one.stop(), two.stop()])
    other.remove()
  }
})

test('real sound: the player gets a WAV of the right length and loudness', async () => {
  const machine = createVoiceMachine(cli, { isAudible: true })
  const running = await start(machine)
  const status = await readStatus(running)
  expect(status).toMatchObject({ voice_system: 'system', player: 'pw-play' })
  await notify(running, {
    message: 'The build is finished, and all of the tests have passed: `$(echo hi)` "done".',
  })
  await eventually(() => machine.played().length === 2, 'the line')
  const sound = readFileSync(join(machine.folder, 'heard.wav'))
  const rate = sound.readUInt32LE(24)
  const bytes = sound.readUInt32LE(40)
  expect([sound.toString('latin1', 0, 4), sound.readUInt16LE(34), rate]).toEqual([
    'RIFF',
    16,
    22_050,
  ])
  expect(sound.length).toBe(44 + bytes)
  const seconds = bytes / 2 / rate
  expect(seconds).toBeGreaterThan(2)
  expect(seconds).toBeLessThan(12)
  const samples = Array.from({ length: bytes / 2 }, (_, at) => sound.readInt16LE(44 + at * 2))
  const level = Math.sqrt(samples.reduce((sum, each) => sum + each * each, 0) / samples.length)
  expect(level).toBeGreaterThan(500)
  expect(level).toBeLessThan(20_000)
})

test('the command: status, say, test, mute, interrupt', async () => {
  const machine = createVoiceMachine(cli)
  const without = await cli.run(['voice'])
  expect(without.code).toBe(5)
  expect(without.stderr).toContain('steward daemon')
  await start(machine)
  const env = { HOME: cli.files }
  expect(voiceStatus.parse(await cli.json(['voice', '--json'], { env }))).toMatchObject({
    voice_system: 'system',
  })
  expect((await cli.run(['voice'], { env })).stdout).toContain('espeak-ng is installed')
  expect((await cli.run(['voice', 'say', '-', '--json'], { env, stdin: 'from a pipe' })).code).toBe(
    0,
  )
  await eventually(() => machine.said().includes('from a pipe'), 'the line')
  const tested = await cli.run(['voice', 'test'], { env })
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('spoken')])
  expect((await cli.run(['voice', 'mute', '30m'], { env })).stdout).toMatch(/^muted until 20/)
  expect((await cli.run(['voice', 'say', 'hush'], { env })).stdout).toContain('not spoken')
  expect((await cli.run(['voice', 'mute', 'off'], { env })).stdout).toBe('not muted\n')
  expect((await cli.run(['voice', 'mute', 'soon'], { env })).code).toBe(2)
  machine.setSeconds(600)
  await cli.run(['voice', 'say', 'a long story'], { env })
  await eventually(() => machine.played().at(-1)?.startsWith('start') === true, 'the story')
  await cli.run(['voice', 'say', 'and more'], { env })
  expect(await cli.json(['voice', 'interrupt', '--all', '--json'], { env })).toEqual({
    interrupted: 2,
  })
})
