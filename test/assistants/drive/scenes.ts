import { until } from '../machine.ts'
import { type Disturbance, POINTS, type Point } from './disturb.ts'
import { expectSame } from './expect-same.ts'
import { inCopy } from './in-copy.ts'
import { nextTask, playTask, settledRecord } from './play-task.ts'
import { assistantIn } from './processes.ts'
import { getDriven, type Recorded } from './record.ts'
import { allow, decide, idle, send, start } from './session.ts'
import type { Scene, Stage } from './stage.ts'
import { supported } from './supported.ts'
import { unprepared } from './unprepared.ts'

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

export const SCENES: readonly Scene[] = [
  undisturbed,
  supported,
  unprepared,
  refused,
  stopped,
  inCopy,
  ...POINTS.map((point) => disturbed(point, 'daemon killed')),
  disturbed('after an edit', 'daemon stopped'),
  ...POINTS.map((point) => disturbed(point, 'program killed')),
  disturbed('after an edit', 'children killed'),
  disturbed('between turns', 'children killed'),
]
