import type { StewardEvent } from '@steward/contract'
import { instantOf } from '@steward/platform'

const DAY_MS = 86_400_000

/** Over the shown voice events. A start alone is neither success nor failure. */
export const summariseVoice = (events: readonly StewardEvent[]) => {
  const outcomes = events.map(voiceOutcome)
  const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length
  const [sent, failed, skipped] = [count('sent'), count('failed'), count('skipped')]
  const tried = sent + failed
  const successRate = tried === 0 ? 0 : Math.round((sent / tried) * 1000) / 10
  return { total: events.length, sent, failed, skipped, successRate }
}

const VOICE_OUTCOMES = new Map<unknown, string>([
  ['sent', 'sent'],
  ['voice_complete', 'sent'],
  ['failed', 'failed'],
  ['voice_failed', 'failed'],
  ['skipped', 'skipped'],
  ['voice_skipped', 'skipped'],
])

const voiceOutcome = ({ event_type, type }: StewardEvent): string | undefined =>
  VOICE_OUTCOMES.get(event_type) ?? VOICE_OUTCOMES.get(type)

/** Over the shown tool failures. */
export const summariseFailures = (events: readonly StewardEvent[], nowMs: number) => {
  const byTool = new Map<string, number>()
  for (const { tool_name } of events) {
    const tool = typeof tool_name === 'string' && tool_name !== '' ? tool_name : 'unknown'
    byTool.set(tool, (byTool.get(tool) ?? 0) + 1)
  }
  const recent24h = events.filter(({ timestamp }) => {
    const instantMs = instantOf(timestamp)
    return instantMs !== undefined && nowMs - instantMs < DAY_MS
  }).length
  return { total: events.length, recent24h, byTool: Object.fromEntries(byTool) }
}
