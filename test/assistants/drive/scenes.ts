import { isDeepStrictEqual } from 'node:util'
import { drivenSession } from '@steward/contract'
import { type Machine, until } from '../machine.ts'
import { assistantIn } from './processes.ts'
import { getDriven, type Recorded, record } from './record.ts'
import type { Model } from './script.ts'
import type { DrivenSubject } from './subjects.ts'

/** When something happens: before the model answers, at a permission, after a tool, after the turn. */
const POINTS = [
  'before the first answer',
  'at a permission',
  'after an edit',
  'between turns',
] as const
type Point = (typeof POINTS)[number]

const DISTURBANCES = {
  'daemon killed': async ({ machine }: Stage) => {
    await machine.killDaemon()
    await machine.startDaemon()
  },
  'daemon stopped': async ({ machine }: Stage) => {
    await machine.killDaemon('SIGTERM')
    await machine.startDaemon()
  },
  'program killed': async (_: Stage, folder: string) => killAll(folder, 'program'),
  'children killed': async (_: Stage, folder: string) => killAll(folder, 'children'),
} as const
type Disturbance = keyof typeof DISTURBANCES

const killAll = async (folder: string, which: 'program' | 'children'): Promise<void> => {
  const pids = assistantIn(folder)[which]
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await until('they are dead', () => {
    const { program, children } = assistantIn(folder)
    return pids.every((pid) => ![...program, ...children].includes(pid))
  })
}

export interface Stage {
  machine: Machine
  model: Model
  subject: DrivenSubject
}

export interface Scene {
  name: string
  play: (stage: Stage) => Promise<void>
}

let count = 0
const nextTask = (): string => `TASK${String(++count).padStart(3, '0')}x`

/** A task of two files, and a follow-up with a third; `disturb` is called at a point of the first. */
const playTask = async (
  stage: Stage,
  at?: Point,
  disturbance?: Disturbance,
): Promise<{ recorded: Recorded; paid: number[][] }> => {
  const { machine, model, subject } = stage
  const [first, second] = [nextTask(), nextTask()]
  const hangsAt = at === 'before the first answer' ? 0 : at === 'after an edit' ? 1 : undefined
  model.set(first, {
    steps: [
      (folder) => subject.write(folder, 'one.txt', 'one'),
      (folder) => subject.write(folder, 'two.txt', 'two'),
      () => ({ type: 'text', text: 'The first task is done.' }),
    ],
    ...(hangsAt === undefined ? {} : { hangsAt }),
  })
  model.set(second, {
    steps: [
      (folder) => subject.write(folder, 'three.txt', 'three'),
      () => ({ type: 'text', text: 'The second task is done.' }),
    ],
  })
  const { id, folder } = await start(stage, `${first} write two files`)
  const disturb = async (point: Point): Promise<void> => {
    if (point !== at || disturbance === undefined) return
    if (hangsAt !== undefined) await until('the model hangs', () => model.hasHung(first))
    await DISTURBANCES[disturbance](stage, folder)
  }
  await disturb('before the first answer')
  if (at === 'at a permission') await asked(machine, id)
  await disturb('at a permission')
  await allow(machine, id)
  await disturb('after an edit')
  await allow(machine, id)
  await idle(machine, id)
  await disturb('between turns')
  await send(machine, id, `${second} write one more file`)
  await allow(machine, id)
  await idle(machine, id)
  return {
    recorded: await settledRecord(stage, id, [first, second]),
    paid: [model.paid(first), model.paid(second)],
  }
}

/** Hooks, usage and the list of sessions arrive a moment later. */
const settledRecord = async (
  { machine, model }: Stage,
  id: string,
  tasks: [string, string],
): Promise<Recorded> => {
  let before = await record(machine, model, id, tasks)
  return until('the record is complete', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1500))
    const now = await record(machine, model, id, tasks)
    const isSame = isDeepStrictEqual(now, before)
    before = now
    return isSame && now
  })
}

const start = async ({ machine, subject }: Stage, prompt: string) => {
  const { code, stdout, stderr } = await machine.steward(
    ...['sessions', 'start', '--assistant', subject.assistant, '--worktree', '--json', prompt],
  )
  if (code !== 0) throw new Error(`sessions start: ${stderr}`)
  return drivenSession.parse(JSON.parse(stdout))
}

const send = async (machine: Machine, id: string, prompt: string): Promise<void> => {
  const { code, stderr } = await machine.steward('sessions', 'send', id, '--json', prompt)
  if (code !== 0) throw new Error(`sessions send: ${stderr}`)
}

const idle = async (machine: Machine, id: string): Promise<void> => {
  const { state, reason } = await until('the turn ends', async () => {
    const session = await getDriven(machine, id)
    return session.state !== 'working' && session.state !== 'starting' && session
  })
  if (state !== 'idle') throw new Error(`the session is ${state}: ${reason}`)
}

/** The only request that waits. */
const asked = async (machine: Machine, id: string): Promise<string> => {
  const waiting = await until('it asks for a permission', async () => {
    const { state, reason } = await getDriven(machine, id).catch(() => ({ state: '', reason: '' }))
    if (state === 'failed' || state === 'interrupted' || state === 'idle')
      throw new Error(`no permission is asked for, the session is ${state}: ${reason}`)
    const entries = (await machine.waiting()).filter(
      ({ session_id, kind }) => session_id === id && kind === 'permission',
    )
    return entries.length > 0 && entries
  })
  if (waiting.length > 1) throw new Error(`${waiting.length} requests wait instead of one`)
  return waiting[0]?.id ?? ''
}

const decide = async (
  machine: Machine,
  id: string,
  answer: { decision: 'allow' | 'deny' },
): Promise<void> => {
  const request = await asked(machine, id)
  const { status, body } = await machine.api(`/api/attention/${request}/answer`, answer)
  if (status !== 200) throw new Error(`answer: ${body}`)
}
const allow = (machine: Machine, id: string) => decide(machine, id, { decision: 'allow' })

/** The undisturbed run of each assistant, which the others are compared with. */
const references = new Map<string, Recorded>()
const referenceOf = async (stage: Stage): Promise<Recorded> => {
  const known = references.get(stage.subject.assistant)
  if (known !== undefined) return known
  const { recorded, paid } = await playTask(stage)
  if (JSON.stringify(paid) !== '[[0,1,2],[0,1]]')
    throw new Error(`the model was paid for the steps ${JSON.stringify(paid)}`)
  references.set(stage.subject.assistant, recorded)
  return recorded
}

const EXPECTED_FILES = {
  'one.txt': 'one',
  'two.txt': 'two',
  'three.txt': 'three',
  'first.txt': '1',
}

const FINISHED = ['done']

const undisturbed: Scene = {
  name: 'undisturbed',
  play: async (stage) => {
    const found = await referenceOf(stage)
    const { files, turns, toolCalls, listed, usage, waiting } = found
    const counts = { files, turns, toolCalls, listed, rows: usage.rows, waiting }
    expectSame(counts, {
      files: EXPECTED_FILES,
      turns: 2,
      toolCalls: 3,
      listed: { rows: 1, prompts: 2, toolCalls: 3, failures: 0 },
      rows: 1,
      waiting: FINISHED,
    })
  },
}

/** A call whose answer never arrived may be repeated; a step whose result is known may not. */
const mayRepeat: Readonly<Record<Point, readonly number[]>> = {
  'before the first answer': [],
  'at a permission': [0],
  'after an edit': [],
  'between turns': [],
}

const disturbed = (point: Point, disturbance: Disturbance): Scene => ({
  name: `${disturbance} ${point}`,
  play: async (stage) => {
    const reference = await referenceOf(stage)
    const { recorded, paid } = await playTask(stage, point, disturbance)
    expectSame(recorded, { ...reference, usage: recorded.usage })
    if (recorded.usage.rows !== 1) throw new Error(`${recorded.usage.rows} rows of usage`)
    const [first = [], second = []] = paid
    const repeated = first.filter((step, at) => first.indexOf(step) !== at)
    const isPaidTwice = repeated.some((step) => !mayRepeat[point].includes(step))
    if (isPaidTwice || second.length !== 2)
      throw new Error(`the model was paid for the steps ${JSON.stringify(paid)}`)
  },
})

const stopped: Scene = {
  name: 'interrupted by the person, then a follow-up',
  play: async (stage) => {
    const { machine, model, subject } = stage
    const [first, second] = [nextTask(), nextTask()]
    model.set(first, {
      steps: [(folder) => subject.write(folder, 'one.txt', 'one'), () => ({ type: 'hang' })],
      hangsAt: 1,
    })
    model.set(second, {
      steps: [
        (folder) => subject.write(folder, 'three.txt', 'three'),
        () => ({ type: 'text', text: 'The second task is done.' }),
      ],
    })
    const { id, folder } = await start(stage, `${first} write files`)
    await allow(machine, id)
    await until('the model hangs', () => model.hasHung(first))
    const { code, stderr } = await machine.steward('sessions', 'stop', id)
    if (code !== 0) throw new Error(`sessions stop: ${stderr}`)
    const { state, reason } = await getDriven(machine, id)
    expectSame({ state, reason }, { state: 'stopped', reason: 'stopped by you' })
    await until('its processes end', () => assistantIn(folder).program.length === 0, 20_000)
    await send(machine, id, `${second} write one more file`)
    await allow(machine, id)
    await idle(machine, id)
    const { files, turns, listed, usage, waiting } = await settledRecord(stage, id, [first, second])
    expectSame(
      { files, turns, listed, rows: usage.rows, waiting, paid: model.paid(second) },
      {
        files: { 'first.txt': '1', 'one.txt': 'one', 'three.txt': 'three' },
        turns: 2,
        listed: { rows: 1, prompts: 2, toolCalls: 2, failures: 0 },
        rows: 1,
        waiting: FINISHED,
        paid: [0, 1],
      },
    )
  },
}

const refused: Scene = {
  name: 'a permission refused through the API',
  play: async (stage) => {
    const { machine, model, subject } = stage
    const task = nextTask()
    model.set(task, {
      steps: [
        (folder) => subject.write(folder, 'one.txt', 'one'),
        () => ({ type: 'text', text: 'I was refused.' }),
      ],
    })
    const { id } = await start(stage, `${task} write a file`)
    await decide(machine, id, { decision: 'deny' })
    await until('the turn ends', async () => (await getDriven(machine, id)).state !== 'working')
    const { files, listed, waiting } = await settledRecord(stage, id, [task, task])
    expectSame(
      { files, rows: listed.rows, prompts: listed.prompts, waiting },
      { files: { 'first.txt': '1' }, rows: 1, prompts: 1, waiting: FINISHED },
    )
  },
}

const expectSame = (found: object, wanted: object): void => {
  if (isDeepStrictEqual(found, wanted)) return
  const different = Object.entries(wanted)
    .map(([key, value]) => [key, Object.entries(found).find(([name]) => name === key)?.[1], value])
    .filter(([, one, other]) => !isDeepStrictEqual(one, other))
  throw new Error(
    different
      .map(([key, one, other]) => `${key} ${JSON.stringify(one)}, not ${JSON.stringify(other)}`)
      .join('; '),
  )
}

export const SCENES: readonly Scene[] = [
  undisturbed,
  refused,
  stopped,
  ...POINTS.map((point) => disturbed(point, 'daemon killed')),
  disturbed('after an edit', 'daemon stopped'),
  ...POINTS.map((point) => disturbed(point, 'program killed')),
  disturbed('after an edit', 'children killed'),
  disturbed('between turns', 'children killed'),
]
