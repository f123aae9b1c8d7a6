import type { LadderStage } from '@steward/contract'
import {
  ensureHome,
  parseLadderStage,
  readSettings,
  resolveHome,
  resolveLadderRoot,
} from '@steward/platform'
import { InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'

/** The ladder's folder, as the settings say. */
export const openLadder = async (io: Io): Promise<string> => {
  const home = await ensureHome(resolveHome(io.env, io.homedir))
  if (!home.ok) throw home.error
  const settings = await readSettings(home.value)
  if (!settings.ok) throw settings.error
  return resolveLadderRoot(home.value, settings.value, io.homedir)
}

export const parseStageOption = (word: string): LadderStage => {
  try {
    return parseLadderStage(word)
  } catch (thrown) {
    throw new InvalidArgumentError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}
