import { join } from 'node:path'
import { ok, type Result, type Schema } from '@steward/contract'
import { z } from 'zod'
import { readStateFile, updateStateFile } from '../files/state-file.ts'
import type { Home } from '../home/home.ts'

/** A session whose tool calls are all refused until a person lifts the halt. */
export interface Halt {
  session_id: string
  reason: string
  /** ISO. */
  at: string
  /** Who requested it: the observers, a usage budget, or a person. */
  by: string
}

/** `observer-halts.json` beside `work.json`; guards read it before every tool call. */
export const haltsPath = (home: Pick<Home, 'stateDir'>): string =>
  join(home.stateDir, 'observer-halts.json')

export const readHalts = async (home: Pick<Home, 'stateDir'>): Promise<Result<Halt[]>> => {
  const read = await readStateFile(haltsPath(home), haltsFile, NONE)
  return read.ok ? ok(read.value.halts) : read
}

/** Halts a session. An already halted one keeps its first reason. */
export const writeHalt = async (
  home: Pick<Home, 'stateDir'>,
  halt: Halt,
): Promise<Result<Halt[]>> =>
  change(home, (halts) =>
    halts.some(({ session_id }) => session_id === halt.session_id) ? halts : [...halts, halt],
  )

/** Lifts the halt of a session; idempotent. */
export const liftHalt = async (
  home: Pick<Home, 'stateDir'>,
  sessionId: string,
): Promise<Result<Halt[]>> =>
  change(home, (halts) => {
    const others = halts.filter(({ session_id }) => session_id !== sessionId)
    return others.length === halts.length ? halts : others
  })

const change = async (
  home: Pick<Home, 'stateDir'>,
  next: (halts: Halt[]) => Halt[],
): Promise<Result<Halt[]>> => {
  const updated = await updateStateFile(haltsPath(home), haltsFile, NONE, (file) => {
    const halts = next(file.halts)
    return halts === file.halts ? file : { halts }
  })
  return updated.ok ? ok(updated.value.halts) : updated
}

const NONE: { halts: Halt[] } = { halts: [] }

const haltsFile: Schema<{ halts: Halt[] }> = z.looseObject({
  halts: z.array(
    z.looseObject({
      session_id: z.string(),
      reason: z.string(),
      at: z.string(),
      by: z.string(),
    }),
  ),
})
