import type { AttentionEntry, AttentionKind } from '@steward/contract'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { COMMAND } from '../../setup/command-name.ts'

const WORDS: Readonly<Record<AttentionKind, string>> = {
  permission: 'asks for permission',
  question: 'has a question',
  plan: 'asks you to approve a plan',
  form: 'asks you to fill in a form',
  blocked: 'is blocked',
  error: 'stopped with an error',
  idle: 'waits for you',
  done: 'is done',
}

/** What waits for the person, with the commands that answer it. */
export const renderWaiting = (
  waiting: readonly AttentionEntry[],
  nowMs: number,
  paint: Paint,
): string =>
  waiting.length === 0
    ? 'nothing waits for you\n'
    : waiting.map((entry) => renderEntry(entry, nowMs, paint)).join('\n')

const renderEntry = (entry: AttentionEntry, nowMs: number, paint: Paint): string => {
  const { name, kind, project, host, preview, since } = entry
  const place = [host, project].filter((part) => part !== '').join(', ')
  const head = `${paint.yellow(cleanText(name))} ${WORDS[kind]}`
  const about = paint.dim(` ${cleanText(place)} ${ageOf(nowMs - Date.parse(since))}`)
  const lines = cleanText(preview)
    .split('\n')
    .map((line) => `  ${line}\n`)
  return `${head}${about}\n${preview === '' ? '' : lines.join('')}${waysOf(entry)}`
}

const waysOf = ({ id, answer }: AttentionEntry): string => {
  if (answer.where === 'terminal') return `  → ${cleanText(answer.hint)}\n`
  if (answer.where === 'command') return `  → ${cleanText(answer.command)}\n`
  const give = `${COMMAND} answer ${id}`
  const questions = answer.questions.map(({ question, options }) => {
    const labels = options.map(({ label }) => cleanText(label)).join(' | ')
    const name = answer.questions.length > 1 ? `${cleanText(question)}=` : ''
    return `  → ${give} --choice "${name}…"${labels === '' ? '' : `  (${labels})`}\n`
  })
  const always = answer.always === undefined ? '' : `  (--always: ${cleanText(answer.always)})`
  const fields = answer.fields.map(
    ({ name, required, options }) =>
      `${cleanText(name)}${required ? '' : '?'}${options ? `: ${options.join('|')}` : ''}`,
  )
  return [
    ...(answer.decides ? [`  → ${give} --allow | --deny${always}\n`] : []),
    ...questions,
    ...(fields.length === 0 ? [] : [`  → ${give} --field NAME=VALUE …  (${fields.join(', ')})\n`]),
    ...(answer.takesText ? [`  → ${give} --text "…"\n`] : []),
  ].join('')
}

const MINUTE_MS = 60_000

const ageOf = (ms: number): string => {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.round(ms / 1000))} s`
  const minutes = Math.round(ms / MINUTE_MS)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
