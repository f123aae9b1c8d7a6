import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostEvent } from '@steward/contract'
import { recallTab } from '@steward/notify'
import { createRedactor, resolveHome, writeSessionName } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readHostEvent } from '../assistants.ts'
import { createClipText } from './clip-text.ts'
import type { HookPorts } from './hook-ports.ts'
import { findHostTitle } from './host-title.ts'
import { NO_SETTINGS } from './read-hook-settings.ts'
import { recordTab } from './record-tab.ts'

let folder: string
let reports: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-hook-tabs-'))
  reports = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const portsIn = (environment: HookPorts['environment'], isUp = true): HookPorts => {
  const redactor = createRedactor({})
  return {
    home: resolveHome({ STEWARD_HOME: folder }),
    environment,
    settings: NO_SETTINGS,
    redactor,
    clip: createClipText(redactor),
    now: () => 1000,
    startedAtMs: 1000,
    isDaemonUp: () => isUp,
    report: (text) => reports.push(text),
  }
}
const happened = (name: string, more: object = {}, host: HostEvent['host'] = 'claude') =>
  readHostEvent(host, { session_id: 's1', hook_event_name: name, ...more }, name)
const tabOf = async (session: string) => recallTab(resolveHome({ STEWARD_HOME: folder }), session)

const TMUX = { TMUX: '/tmp/tmux-1/default,77,0', TMUX_PANE: '%3' }
const KITTY = { KITTY_LISTEN_ON: 'unix:/run/kitty-1', KITTY_WINDOW_ID: '4' }
const TMUX_TAB = {
  kind: 'tmux',
  socket: '/tmp/tmux-1/default',
  serverPid: '77',
  pane: '%3',
  terminal: 'other',
}

describe('recordTab', () => {
  it('remembers the tab that the environment names, and the one a session moved to', async () => {
    await recordTab(happened('SessionStart'), portsIn(TMUX))
    expect(await tabOf('s1')).toEqual({ ok: true, value: TMUX_TAB })
    await recordTab(happened('UserPromptSubmit', { prompt: 'x' }), portsIn(KITTY))
    expect(await tabOf('s1')).toMatchObject({ value: { kind: 'kitty', windowId: '4' } })
    await recordTab(happened('UserPromptSubmit', { prompt: 'x' }), portsIn({}))
    expect(await tabOf('s1')).toMatchObject({ value: { kind: 'kitty', windowId: '4' } })
    expect(await tabOf('s2')).toEqual({ ok: true, value: undefined })
    expect(reports).toEqual([])
  })

  it('ignores subagents, unnamed sessions and a made-up environment', async () => {
    await recordTab(happened('UserPromptSubmit', { agent_id: 'a' }), portsIn(TMUX))
    await recordTab(happened('UserPromptSubmit', { session_id: '' }), portsIn(TMUX))
    const strange = { TMUX: 'rubbish', TMUX_PANE: '%3; rm' }
    await recordTab(happened('UserPromptSubmit'), portsIn(strange))
    await recordTab(happened('SessionStart'), portsIn(strange))
    expect(await tabOf('s1')).toEqual({ ok: true, value: undefined })
  })
})

describe('findHostTitle', () => {
  const AT_TERMINAL = { CLAUDE_CODE_ENTRYPOINT: 'cli' }
  const titled = (title: string) => `\u001b]0;${title}\u0007`

  it('names the session after its work', async () => {
    const prompt = happened('UserPromptSubmit', { prompt: 'please repair the leaking roof' })
    const ports = portsIn(AT_TERMINAL)
    expect(await findHostTitle(prompt, ports)).toMatch(/💭 .*roof/iu)
    await writeSessionName(ports.home, 's1', 'Roof \u001b]0;forged\u0007')
    expect(await findHostTitle(prompt, ports)).toBe(titled('💭 Roof ]0;forged'))
    expect(await findHostTitle(happened('Stop'), ports)).toBe(titled('✅ Roof ]0;forged'))
    expect(await findHostTitle(happened('StopFailure'), ports)).toBe(titled('⚠️ Roof ]0;forged'))
  })

  it('leaves the tab to the daemon if it knows the tab', async () => {
    const environment = { ...AT_TERMINAL, ...TMUX }
    await recordTab(happened('SessionStart'), portsIn(environment))
    expect(await findHostTitle(happened('Stop'), portsIn(environment))).toBeUndefined()
    const down = portsIn(environment, false)
    expect(await findHostTitle(happened('Stop'), down)).toBe(titled('✅ COMPLETE'))
  })

  it('prints nothing if the host has no terminal, accepts no sequence, or a subagent ends', async () => {
    const stop = happened('Stop')
    expect(await findHostTitle(stop, portsIn({}))).toBeUndefined()
    expect(
      await findHostTitle(stop, portsIn({ CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })),
    ).toBeUndefined()
    const ports = portsIn(AT_TERMINAL)
    expect(await findHostTitle(happened('Stop', {}, 'codex'), ports)).toBeUndefined()
    expect(await findHostTitle(happened('Stop', { agent_id: 'a' }), ports)).toBeUndefined()
    expect(await findHostTitle(happened('PreToolUse'), ports)).toBeUndefined()
  })
})
