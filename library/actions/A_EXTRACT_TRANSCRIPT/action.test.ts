import type { Shell } from '@steward/contract'
import { describe, expect, test } from 'vitest'
import { shellWithCommand, shellWithoutCommands } from '../../lib/testing/installed-command.ts'
import { runAction } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const URL = 'https://videos.example.org/watch?v=abc&list=1'

const extract = (shell: Shell, input: Record<string, unknown> = { url: URL }) =>
  runAction(manifest, action, input, { capabilities: { shell, fetch } })

/** A stand-in for yt-dlp that checks its arguments and answers like the real one. */
const PREAMBLE = `
say() { printf '%s\\n' "$1"; }
case " $* " in *" --ignore-config "*) ;; *) say 'ERROR: config not ignored' >&2; exit 2;; esac
case " $* " in *" -- ${URL} ") ;; *) say 'ERROR: the address must come last, after --' >&2; exit 2;; esac
say '"abc"'
say '"A talk, \\"quoted\\""'
`
const VTT = `cat > transcript.en.vtt <<'END'
WEBVTT

00:00:00.000 --> 00:00:02.000
Good evening &amp; welcome.

00:00:02.000 --> 00:00:04.000
Good evening &amp; welcome.
Tonight: moss.
END
`

describe('with yt-dlp installed, in the sandbox', () => {
  test('answers the text, the id and the title', async () => {
    const shell = await shellWithCommand('yt-dlp', `${PREAMBLE}${VTT}`)
    expect(await extract(shell, { url: URL, channel: 'Moss' })).toEqual({
      url: URL,
      channel: 'Moss',
      language: 'en',
      content: 'Good evening & welcome. Tonight: moss.',
      video_id: 'abc',
      title: 'A talk, "quoted"',
      transcript_language: 'en',
    })
  })

  test('subtitles that came count, even when a further language failed', async () => {
    const script = `${PREAMBLE}${VTT}say 'ERROR: Unable to download subtitles for en-orig: HTTP Error 429' >&2; exit 1`
    const shell = await shellWithCommand('yt-dlp', script)
    expect(await extract(shell)).toMatchObject({ video_id: 'abc' })
  })

  test('requests the given language, and falls back to the original', async () => {
    const script = `${PREAMBLE}
case " $* " in *" --sub-langs de,de-.*,.*-orig,-live_chat "*) ;; *) exit 3;; esac
printf 'WEBVTT\\n\\n00:01.000 --> 00:02.000\\nBonsoir.\\n' > transcript.fr-orig.vtt`
    const shell = await shellWithCommand('yt-dlp', script)
    expect(await extract(shell, { url: URL, language: 'de' })).toMatchObject({
      content: 'Bonsoir.',
      transcript_language: 'fr-orig',
    })
  })

  test('a video without subtitles is rejected with an alternative', async () => {
    const shell = await shellWithCommand('yt-dlp', PREAMBLE)
    await expect(extract(shell)).rejects.toMatchObject({
      code: 'rejected_content',
      message: expect.stringContaining('A_TRANSCRIBE_AUDIO'),
    })
  })

  test.each([
    ['[generic] Unsupported URL: x', 'rejected_content'],
    ['[site] abc: Video unavailable', 'rejected_content'],
    ['[site] abc: HTTP Error 429: Too Many Requests', 'rate_limited'],
    ['[site] abc: Unable to connect', 'upstream_failed'],
  ])('it says %j: %s', async (said, code) => {
    const shell = await shellWithCommand('yt-dlp', `echo 'ERROR: ${said}' >&2; exit 1`)
    await expect(extract(shell)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(said.replace(/^.*?\] /, '')),
    })
  })

  test('it writes nowhere but its own folder', async () => {
    const script = `${PREAMBLE}${VTT}echo x > "$0.touched" || say 'kept out' >> transcript.en.vtt`
    const shell = await shellWithCommand('yt-dlp', script)
    expect(await extract(shell)).toMatchObject({ content: expect.stringContaining('kept out') })
  })
})

test('without yt-dlp it says how to install it', async () => {
  await expect(extract(await shellWithoutCommands())).rejects.toMatchObject({
    code: 'command_missing',
    message: expect.stringMatching(
      /^yt-dlp is not installed: install it with .*brew install yt-dlp/,
    ),
  })
})

test.each([
  [{ url: '--exec=rm' }, 'url'],
  [{ url: 'file:///etc/passwd' }, 'url'],
  [{ url: '' }, 'url'],
  [{ url: URL, language: 'en,--exec' }, 'language'],
])('refuses %j before anything runs', async (input, field) => {
  const shell: Shell = () => expect.unreachable('a command ran')
  await expect(extract(shell, input)).rejects.toMatchObject({
    code: 'invalid_input',
    details: { field },
  })
})
