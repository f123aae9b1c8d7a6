import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { anyText, messageOf, NASTY } from '../testing/messages.ts'
import { buildDesktop } from './build-desktop.ts'
import { runCommand } from './run-command.ts'
import { buildTerminalAlert, sendDesktop } from './send-desktop.ts'

const ESC = '\u001b'
const BEL = '\u0007'

/** A program that records its arguments; nothing else is on the path. */
const install = (name: string, ending = 'process.exit(0)') => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-desktop-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, name)
  const seen = join(folder, 'seen.json')
  const code = `require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.argv.slice(2)));${ending}`
  writeFileSync(file, `#!${process.execPath}\n${code}`)
  chmodSync(file, 0o755)
  vi.stubEnv('PATH', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  return { seen: (): unknown => JSON.parse(readFileSync(seen, 'utf8')) }
}

describe('the desktop', () => {
  test('notify-send gets the text as arguments, byte for byte', async () => {
    const program = install('notify-send')
    const message = messageOf({ title: '-x $(id)', message: '--help <b>`x`</b> & שלום\nnext' })
    const outcome = await sendDesktop(message, { platform: 'linux', runCommand })
    expect(outcome).toEqual({ state: 'delivered', detail: 'by notify-send' })
    expect(program.seen()).toEqual([
      '--app-name=Steward',
      '--urgency=normal',
      '--',
      '-x $(id)',
      '--help &lt;b&gt;`x`&lt;/b&gt; &amp; שלום\nnext',
    ])
  })

  test('osascript gets the text as arguments of a fixed script', async () => {
    const program = install('osascript')
    const message = messageOf({ title: 'a"b', message: '" & (do shell script "id") & "' })
    await sendDesktop(message, { platform: 'darwin', runCommand })
    expect(program.seen()).toEqual([
      '-e',
      'on run argv',
      '-e',
      'display notification (item 1 of argv) with title (item 2 of argv)',
      '-e',
      'end run',
      '--',
      '" & (do shell script "id") & "',
      'a"b',
    ])
  })

  test('nasty and long texts are taken by a real program', async () => {
    const program = install('notify-send')
    for (const text of [NASTY, NASTY.repeat(1000), '\0', '👩‍👩‍👧‍👦'.repeat(10_000)]) {
      const message = messageOf({ title: text, message: text })
      const outcome = await sendDesktop(message, { platform: 'linux', runCommand })
      expect(outcome.state).toBe('delivered')
    }
    expect(JSON.stringify(program.seen()).length).toBeLessThan(5000)
  })

  test('a failing program is reported and retried; a hanging one is killed', async () => {
    install('notify-send', 'console.error("no D-Bus");process.exit(3)')
    const outcome = await sendDesktop(messageOf(), { platform: 'linux', runCommand })
    expect(outcome).toMatchObject({
      error: {
        message: expect.stringContaining('notify-send ended with 3: no D-Bus'),
        retryable: true,
      },
    })
    install('notify-send', 'setInterval(() => {}, 1000)')
    expect(await runCommand('notify-send', [], 300)).toMatchObject({ kind: 'ended', code: null })
  })

  test('without a program the terminal shows it; without a terminal that is only reported', async () => {
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const written: string[] = []
    const terminal = { write: (text: string) => written.push(text), environment: {} }
    const ports = { platform: 'linux' as const, runCommand }
    expect(await sendDesktop(messageOf(), { ...ports, terminal })).toMatchObject({
      state: 'delivered',
    })
    expect(written).toEqual([`${ESC}]9;Error: It broke.${BEL}`])
    expect(await sendDesktop(messageOf(), ports)).toEqual({
      state: 'skipped',
      detail:
        'no alert was shown: notify-send is not installed; the package is libnotify-bin or libnotify',
    })
  })

  test('urgency follows priority', () => {
    const urgencyOf = (priority: 1 | 3 | 5) =>
      buildDesktop(messageOf({ priority }), 'linux').args[1]
    expect([urgencyOf(1), urgencyOf(3), urgencyOf(5)]).toEqual([
      '--urgency=low',
      '--urgency=normal',
      '--urgency=critical',
    ])
  })
})

describe('the terminal', () => {
  test.each([
    [{ TERM: 'rxvt-unicode-256color' }, `${ESC}]777;notify;a,b;c;d${BEL}`],
    [{ TERM_PROGRAM: 'ghostty' }, `${ESC}]777;notify;a,b;c;d${BEL}`],
    [{ VTE_VERSION: '7600' }, `${ESC}]777;notify;a,b;c;d${BEL}`],
    [{ TERM_PROGRAM: 'iTerm.app' }, `${ESC}]9;a;b: c;d${BEL}`],
    [
      { TERM: 'xterm-256color', TMUX: '/tmp/x' },
      `${ESC}Ptmux;${ESC}${ESC}]9;a;b: c;d${BEL}${ESC}\\`,
    ],
  ])('%j', (environment, sequence) => {
    expect(buildTerminalAlert(messageOf({ title: 'a;b', message: 'c;d' }), environment)).toBe(
      sequence,
    )
  })

  test('a text that looks like another command of the sequence is not executed', () => {
    const alert = buildTerminalAlert(messageOf({ title: '4;1', message: 'x' }), {})
    expect(alert).toBe(`${ESC}]9; 4;1: x${BEL}`)
  })

  test('no text ends the sequence or starts another', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom({}, { TERM: 'foot' }), (text, environment) => {
        const alert = buildTerminalAlert(messageOf({ title: text, message: text }), environment)
        expect(alert.slice(1, -1)).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})
