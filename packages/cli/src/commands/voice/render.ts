import type { VoiceStatus } from '@steward/contract'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'

/** `GET /voice` for people. */
export const renderVoice = (status: VoiceStatus, paint: Paint): string => {
  const { queue_depth, speaking, muted_until, quiet, player, last_error, providers } = status
  const now = [
    speaking ? 'speaking' : undefined,
    `${queue_depth} waiting`,
    muted_until === null ? undefined : `muted until ${muted_until}`,
    quiet ? 'quiet hours' : undefined,
  ].filter((part) => part !== undefined)
  const rows = providers.map(({ name, available, reason, circuit, retryAt, lastError }) => [
    `  ${name}`,
    available && circuit === 'closed'
      ? paint.green('ready')
      : paint.dim(available ? 'rests' : 'no'),
    cleanText(lastError === null ? reason : `${lastError}${retryAt ? `; again ${retryAt}` : ''}`),
  ])
  return [
    `${paint.bold(status.voice_system)}  ${now.join(', ')}`,
    cleanText(status.explanation),
    `player ${player ?? 'none'}, ${status.pronunciation_rules} pronunciations, voices ${status.configured_voices.map(cleanText).join(', ') || 'none'}`,
    ...(last_error === null ? [] : [`${paint.yellow('last error:')} ${cleanText(last_error)}`]),
    ...(status.quota_exceeded ? [paint.yellow('a quota is used up')] : []),
    formatTable(rows),
  ].join('\n')
}
