import { isJsonObject, type ObservedEffectName, type StewardEvent } from '@steward/contract'
import { isCredentialCommand, isCredentialPath } from './credentials.ts'
import { isDisposable } from './disposable.ts'
import type { CallEffect, CallReading, Evidence, ReadCall } from './evidence.ts'

const SUMMARY_CHARS = 200
const DETAIL_CHARS = 2000

/**
 * A `tool_use` row as evidence; undefined for other rows. `number` is its position in the session,
 * `home` the user's home directory.
 */
export const readEvidence = (
  event: StewardEvent,
  number: number,
  readCall: ReadCall,
  home = '',
): Evidence | undefined => {
  if (event.source !== 'tool-activity' || event.type !== 'tool_use') return undefined
  const tool = textOf(event.tool_name) || 'unknown'
  const truth = isJsonObject(event.ground_truth) ? event.ground_truth : {}
  const input = { ...readPreview(textOf(event.tool_input_preview)), ...truth }
  const texts = [textOf(event.tool_input_preview), ...leaves(truth)].filter(Boolean)
  const text = texts.join('\n')
  const reading = readCall({ tool, input, cwd: textOf(event.cwd) || '/', text })
  const at = Date.parse(event.timestamp)
  const subject = textOf(truth.command) || textOf(truth.file_path) || texts[0] || ''
  return {
    id: `r${number}`,
    at: Number.isNaN(at) ? undefined : at,
    timestamp: event.timestamp,
    tool,
    ...(typeof event.tool_use_id === 'string' ? { toolUseId: event.tool_use_id } : {}),
    summary: cut(`${tool}: ${oneLine(subject)}`, SUMMARY_CHARS),
    detail: cut(oneLine(text), DETAIL_CHARS),
    effects: withCredentials(reading, tool).map((effect) => ({
      ...effect,
      disposable: isDisposable(effect.target, { inside: effect.inside, home }),
    })),
    guard: reading.guard,
    ...(reading.injection === undefined ? {} : { injection: reading.injection }),
  }
}

/** Also counts secrets that were read and destructive tools of other servers. */
const withCredentials = ({ effects, commands }: CallReading, tool: string): CallEffect[] => {
  const effect = (kind: ObservedEffectName, target: string): CallEffect => ({
    kind,
    target,
    recursive: false,
    inside: false,
  })
  const secrets = effects
    .filter(({ kind, target }) => kind === 'read' && isCredentialPath(target))
    .map(({ target }) => effect('credential', target))
  const printed = commands.filter(isCredentialCommand).map((each) => effect('credential', each))
  const remote = /^mcp__/.test(tool) && DESTRUCTIVE.test(tool) ? [effect('delete', tool)] : []
  return [...effects, ...secrets, ...printed, ...remote]
}

const DESTRUCTIVE = /(delete|destroy|drop|purge|terminate|remove|truncate|wipe)/i

/**
 * The input from a preview in the log. A truncated preview is not valid JSON, so its texts are
 * extracted by pattern.
 */
const readPreview = (preview: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(preview)
    return isJsonObject(parsed) ? parsed : {}
  } catch {
    const found = [...preview.matchAll(/"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)(?:"|…|$)/g)]
    return Object.fromEntries(
      found.map(([, name = '', value = '']) => [name, value.replace(/\\(["\\/])/g, '$1')]),
    )
  }
}

const leaves = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return isJsonObject(value) ? Object.values(value).flatMap(leaves) : []
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Removes invisible characters and those that change the text direction. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cf}\p{Co}]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

const cut = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars - 1)}…`
