import { existsSync, readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { isJsonObject, type JsonObject, parseJson } from '@steward/contract'
import { writeFileAtomically } from '@steward/platform'
import type { Finding } from '../report/finding.ts'
import type { AskedHost } from '../report/host-report.ts'

/**
 * Hooks of LifeOS and PAI that record what ours record too: tool calls, failures, subagents, ratings
 * and pushes. Their other hooks do something else and stay.
 */
const RECORDERS =
  /(?:ToolActivityTracker|ToolFailureTracker|AgentExecutionGuard|SubagentTracker|EventEmitter|KVSync|SatisfactionCapture|VoiceCompletion)\.hook\.(?:ts|js|sh)\b/

/** Reports hooks of a predecessor beside ours, which record every tool call twice. */
export const checkPredecessor = ({ file, state }: AskedHost): Finding[] => {
  if (state === 'missing' || state === 'unreadable') return []
  const doubled = removeRecorders(existsSync(file) ? readFileSync(file, 'utf8') : '')
  if (doubled === undefined) return []
  const backup = `${file}.before-steward`
  return [
    {
      check: 'hooks claude',
      status: 'warn',
      message: `${doubled.removed.length} hooks of LifeOS record the same events, so that each is recorded twice: ${doubled.removed.join(', ')}`,
      repair: `remove them from ${file}, or run steward doctor --fix`,
      change: `These hooks of LifeOS will be removed from ${file}; its other hooks stay. The current file is kept as ${backup}.`,
      asksFirst: true,
      fix: async () => {
        await copyFile(file, backup)
        await writeFileAtomically(file, doubled.text)
        return `removed ${doubled.removed.length} hooks; the file before is ${backup}`
      },
    },
  ]
}

/** The settings without the recorders; undefined if there are none. */
const removeRecorders = (text: string): { text: string; removed: string[] } | undefined => {
  const read = parseJson(text, 'settings.json')
  if (!read.ok || !isJsonObject(read.value) || !isJsonObject(read.value.hooks)) return undefined
  const removed: string[] = []
  const hooks = Object.entries(read.value.hooks).map(([event, groups]): [string, unknown] => [
    event,
    Array.isArray(groups) ? groups.flatMap((group) => keepOthers(group, removed)) : groups,
  ])
  if (removed.length === 0) return undefined
  const changed = { ...read.value, hooks: Object.fromEntries(hooks) }
  return { text: `${JSON.stringify(changed, null, 2)}\n`, removed: [...new Set(removed)] }
}

const keepOthers = (group: unknown, removed: string[]): unknown[] => {
  if (!isJsonObject(group) || !Array.isArray(group.hooks)) return [group]
  const own: unknown[] = group.hooks
  const kept = own.filter((hook) => {
    const name = nameOf(hook)
    if (name !== undefined) removed.push(name)
    return name === undefined
  })
  if (kept.length === own.length) return [group]
  const changed: JsonObject = { ...group, hooks: kept }
  return kept.length === 0 ? [] : [changed]
}

const nameOf = (hook: unknown): string | undefined =>
  isJsonObject(hook) && typeof hook.command === 'string'
    ? RECORDERS.exec(hook.command)?.[0]
    : undefined
