import { isDeepStrictEqual } from 'node:util'
import { sessionPage } from '@steward/contract'
import { type Machine, until } from '../machine.ts'
import { DISTURBANCES, type Disturbance, type Point } from './disturb.ts'
import { type Recorded, record } from './record.ts'
import { allow, asked, idle, send, start } from './session.ts'
import type { Stage } from './stage.ts'

let count = 0
export const nextTask = (): string => `TASK${String(++count).padStart(3, '0')}x`

/** A task of two files, and a follow-up with a third; `disturb` is called at a point of the first. */
export const playTask = async (
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
    // A hook that runs beside the assistant is killed with it, and its row is lost.
    if (at === 'after an edit') await until('the edit is listed', () => isListed(machine, folder))
    await DISTURBANCES[disturbance](stage, folder)
  }
  await disturb('before the first answer')
  if (at === 'at a permission') {
    const request = await asked(machine, id)
    await disturb('at a permission')
    await until('the request is withdrawn', async () =>
      (await machine.waiting()).every((each) => each.id !== request),
    )
  }
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

const isListed = async (machine: Machine, folder: string): Promise<boolean> => {
  const { sessions } = sessionPage.parse(JSON.parse((await machine.api('/api/sessions')).body))
  return sessions.some(({ project, toolCalls }) => project === folder && toolCalls === 1)
}

/** Hooks, usage and the list of sessions arrive a moment later. */
export const settledRecord = async (
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
