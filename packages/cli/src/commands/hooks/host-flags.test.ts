import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

test.each(['status', 'install', 'uninstall'])(
  'hooks %s without an assistant says what was searched and what to do',
  async (command) => {
    const homedir = mkdtempSync(join(tmpdir(), 'no-assistant-'))
    onTestFinished(() => rmSync(homedir, { recursive: true, force: true }))
    const env = { STEWARD_HOME: join(homedir, 'data'), PATH: homedir }
    const io = memoryIo({ args: ['hooks', command], env, homedir })
    expect(await runCli(io)).toBe(5)
    const said = io.err.text()
    expect(said).toContain('an assistant is not installed')
    for (const name of ['claude', 'codex', 'gemini', 'cursor-agent', 'opencode']) {
      expect(said).toContain(name)
    }
    expect(said).toContain('steward hooks install --host claude')
  },
)
