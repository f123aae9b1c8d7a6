import { join } from 'node:path'
import {
  fields,
  isJsonObject,
  type JsonObject,
  type Result,
  type Schema,
  type WorkState,
} from '@steward/contract'
import { z } from 'zod'
import { readStateFile, updateStateFile } from '../files/state-file.ts'
import type { Home } from '../home/home.ts'

/** The last work state that a machine pushed, and when. */
const pushedState = z.object({ receivedAt: z.string(), document: fields })
export type PushedState = z.infer<typeof pushedState>

/** By the name of the machine; older versions push without one, which is the empty name. */
export type PushedStates = Readonly<Record<string, PushedState>>

/** The oldest push is dropped beyond this many machines. */
const MOST_MACHINES = 50
const LONGEST_NAME = 200

const pathIn = (home: Pick<Home, 'stateDir'>): string =>
  join(home.stateDir, 'pushed-work-state.json')

/** Older versions kept one state for all machines. */
const pushedFile: Schema<PushedStates> = z.union([
  z.object({ machines: z.record(z.string(), pushedState) }).transform(({ machines }) => machines),
  pushedState.transform((state) => ({ [machineOf(state.document)]: state })),
])

export const readPushedStates = (home: Pick<Home, 'stateDir'>): Promise<Result<PushedStates>> =>
  readStateFile(pathIn(home), pushedFile, {})

/** Replaces the state of the machine that pushed it; the others keep theirs. */
export const writePushedState = async (
  home: Pick<Home, 'stateDir'>,
  pushed: PushedState,
): Promise<Result<PushedStates>> => {
  let states: PushedStates = {}
  const written = await updateStateFile<unknown>(pathIn(home), z.unknown(), {}, (before) => {
    const known = pushedFile.safeParse(before).data ?? {}
    const all = Object.entries({ ...known, [machineOf(pushed.document)]: pushed })
    const newest = all.toSorted(([, one], [, other]) =>
      one.receivedAt < other.receivedAt ? 1 : -1,
    )
    states = Object.fromEntries(newest.slice(0, MOST_MACHINES))
    return { machines: states }
  })
  return written.ok ? { ok: true, value: states } : written
}

const machineOf = ({ machine }: JsonObject): string =>
  typeof machine === 'string' ? machine.trim().slice(0, LONGEST_NAME) : ''

/** A pushed document of any form as a work state; only objects are entries. */
export const workStateIn = ({ sessions }: JsonObject): WorkState => ({
  sessions: Object.fromEntries(
    Object.entries(isJsonObject(sessions) ? sessions : {}).filter(([, entry]) =>
      isJsonObject(entry),
    ),
  ),
})
