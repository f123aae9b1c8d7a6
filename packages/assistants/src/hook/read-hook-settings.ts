import { readFileSync } from 'node:fs'
import {
  isJsonObject,
  type JsonObject,
  LIMITS,
  type ObservabilityTarget,
  parseJson,
  type Result,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { type Home, isMissing } from '@steward/platform'
import { nestedOf, numberOf, textOf } from '../payload/fields.ts'

/** The few settings that the hook needs. */
export interface HookSettings {
  targets: ObservabilityTarget[]
  /** The assistant's name; its spoken line may start with it. */
  speaker: string | undefined
  guards: { blockedSkills: readonly string[]; silenceSeconds: number }
  answers: { waitSeconds: number; hiddenPromptSeconds: number; replySeconds: number }
}

/** The defaults without settings. */
export const NO_SETTINGS: HookSettings = {
  targets: [],
  speaker: undefined,
  guards: {
    blockedSkills: ['keybindings-help'],
    silenceSeconds: LIMITS.watchdogSilenceMs / 1000,
  },
  answers: { waitSeconds: 900, hiddenPromptSeconds: 0, replySeconds: 0 },
}

/**
 * Reads only the needed fields, by hand, because validating the whole file would cost more than the
 * rest of the hook. `steward doctor` and the daemon report every mistake in it.
 */
export const readHookSettings = (home: Pick<Home, 'settings'>): Result<HookSettings> => {
  const file = home.settings
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) {
      return { ok: true, value: NO_SETTINGS }
    }
    const error = new StewardError('invalid_definition', { file, reason: reasonOf(thrown) }, thrown)
    return { ok: false, error }
  }
  const json = parseJson(text, file)
  if (!json.ok) return json
  const settings = isJsonObject(json.value) ? json.value : {}
  const { targets } = nestedOf(settings, 'observability')
  const { blockedSkills } = nestedOf(settings, 'guards')
  const answers = nestedOf(settings, 'answers')
  const secondsOf = (name: keyof HookSettings['answers']): number =>
    numberOf(answers, name) ?? NO_SETTINGS.answers[name]
  return {
    ok: true,
    value: {
      targets: Array.isArray(targets) ? targets.filter(isJsonObject).flatMap(readTarget) : [],
      speaker: textOf(nestedOf(settings, 'daidentity'), 'name'),
      guards: {
        blockedSkills: Array.isArray(blockedSkills)
          ? blockedSkills.filter((name) => typeof name === 'string')
          : NO_SETTINGS.guards.blockedSkills,
        silenceSeconds:
          numberOf(nestedOf(settings, 'watchdog'), 'silenceSeconds') ??
          NO_SETTINGS.guards.silenceSeconds,
      },
      answers: {
        waitSeconds: secondsOf('waitSeconds'),
        hiddenPromptSeconds: secondsOf('hiddenPromptSeconds'),
        replySeconds: secondsOf('replySeconds'),
      },
    },
  }
}

const readTarget = (target: JsonObject): ObservabilityTarget[] => {
  const name = textOf(target, 'name')
  const url = textOf(target, 'url')
  if (name === undefined) return []
  if (target.type === 'edge-kv') return [{ name, type: 'edge-kv', ...(url ? { url } : {}) }]
  if (target.type !== 'http' || url === undefined) return []
  const headers = Object.entries(nestedOf(target, 'headers')).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as const] : [],
  )
  return [{ name, type: 'http', url, headers: Object.fromEntries(headers) }]
}
