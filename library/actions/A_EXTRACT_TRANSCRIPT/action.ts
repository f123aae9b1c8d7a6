import {
  type ActionContextV2,
  type JsonObject,
  type Shell,
  type ShellResult,
  StewardError,
} from '@steward/contract'
import { needCapability } from '../../lib/need-capability.ts'
import { readText } from '../../lib/read-fields.ts'
import { runCommand } from '../../lib/run-command.ts'
import { subtitlesToText } from '../../lib/subtitles-to-text.ts'
import { parseWebAddress } from '../../lib/web-address.ts'
import { chooseSubtitles } from './choose-subtitles.ts'

const ACTION = 'A_EXTRACT_TRANSCRIPT'
const TIMEOUT_MS = 240_000
const INSTALL =
  'install it with your package manager (brew install yt-dlp, apt install yt-dlp) or with pipx install yt-dlp'

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const url = parseWebAddress(readText(input, 'url'), ACTION)
  const language = parseLanguage(readText(input, 'language') || 'en')
  const shell = needCapability(context, ACTION, 'shell')
  const result = await fetchSubtitles(shell, url.href, language)
  const video = readVideo(result, url.href)
  const chosen = chooseSubtitles(result.files, language)
  const content = chosen === undefined ? '' : subtitlesToText(chosen.text)
  if (chosen === undefined || content === '') {
    // Without subtitles yt-dlp still exits 0; with an error it may have failed to get the
    // subtitles.
    if (result.code !== 0) throw videoFailed(result, url.href)
    throw new StewardError('rejected_content', {
      subject: url.href,
      reason: `the video has no subtitles in ${language} or its own language; A_TRANSCRIBE_AUDIO can listen to it instead`,
    })
  }
  return { content, ...video, transcript_language: chosen.language }
}

const fetchSubtitles = (shell: Shell, url: string, language: string): Promise<ShellResult> =>
  runCommand(
    shell,
    [
      'yt-dlp',
      // The person's own configuration may run programs or write elsewhere.
      '--ignore-config',
      '--no-playlist',
      '--no-cache-dir',
      '--no-progress',
      '--no-simulate',
      '--skip-download',
      '--write-subs',
      '--write-auto-subs',
      '--sub-langs',
      `${language},${language}-.*,.*-orig,-live_chat`,
      '--sub-format',
      'vtt/srt',
      '--print',
      '%(id)j',
      '--print',
      '%(title)j',
      '--output',
      'transcript.%(ext)s',
      '--',
      url,
    ],
    INSTALL,
    { timeoutMs: TIMEOUT_MS, collect: ['transcript.*.vtt', 'transcript.*.srt'] },
  )

/** Two lines of JSON: the id and the title. Undefined if the address is not a video. */
const readVideo = (result: ShellResult, url: string): { video_id: string; title: string } => {
  const [id, title] = result.stdout.split('\n').map(parseLine)
  if (id === undefined) throw videoFailed(result, url)
  return { video_id: id, title: title ?? id }
}

const parseLine = (line: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'string' && value !== '' ? value : undefined
  } catch {
    // Not our line: the caller reports yt-dlp's message instead.
    return undefined
  }
}

const videoFailed = ({ code, stderr }: ShellResult, url: string): StewardError => {
  const said = stderr.split('\n').findLast((line) => line.startsWith('ERROR:'))
  const reason = said?.replace(/^ERROR:\s*/, '') ?? `yt-dlp ended with code ${code}`
  if (/\b(429|too many requests)\b/i.test(reason)) {
    return new StewardError('rate_limited', { service: new URL(url).host, reason })
  }
  if (/unsupported url|is not a valid url|unavailable|private video|removed|404/i.test(reason)) {
    return new StewardError('rejected_content', { subject: url, reason })
  }
  return new StewardError('upstream_failed', { service: url, reason })
}

const parseLanguage = (language: string): string => {
  if (/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language)) return language
  throw new StewardError('invalid_input', {
    subject: ACTION,
    reason: `"language" must be a code such as en or pt-BR, found ${JSON.stringify(language.slice(0, 40))}`,
    field: 'language',
  })
}
