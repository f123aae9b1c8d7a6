import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { clientOf, playScriptedDay, writeScriptedDefinitions } from './dashboard/play-day.ts'
import { writeScriptedDay } from './dashboard/scripted-day.ts'
import { findUnversioned, listFiles } from './file-versions/find-unversioned.ts'
import { createHookHome } from './hooks-process.ts'
import { PACKED_HOOK } from './launcher.ts'

let cli: Cli
let daemon: DaemonProcess | undefined
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  await daemon?.kill()
  cli.remove()
})

const must = async (...args: string[]) => {
  const { code, stderr } = await cli.run(args, { env: { HOME: cli.files } })
  expect(`${code} ${code === 0 ? '' : stderr}`).toBe('0 ')
}

const work = async (running: DaemonProcess) => {
  await playScriptedDay(running)
  await clientOf(running).call('editSecurityPatterns', {
    body: { action: 'add_path', tier: 'noDelete', path: '~/gauges' },
  })
  const hooks = createHookHome(PACKED_HOOK, cli.home)
  const session = { session_id: 'a-session', cwd: '/projects/tidewatch' }
  const command = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'call-1' }
  await hooks.fire('PreToolUse --guard', {
    ...session,
    ...command,
    hook_event_name: 'PreToolUse',
  })
  await running.fetch('/api/observability/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ timestamp: new Date().toISOString(), type: 'tool_use', source: 'x' }]),
  })
  await running.fetch('/api/observability/state', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ machine: 'laptop', sessions: {} }),
  })
  const vault = join(cli.files, 'vault')
  mkdirSync(vault)
  writeFileSync(join(vault, 'Tea.md'), '# Tea\n')
  await must('knowledge', 'import', vault)
  await must('backup', join(cli.files, 'backups'))
  await must('new', 'action', 'A_COUNT_CUPS')
}

test('after a day of work every file of ours in the data home has a version', async () => {
  writeScriptedDefinitions(cli)
  await writeScriptedDay(cli.home, Date.now())
  await must('hooks', 'install', '--host', 'claude', '--yes')
  daemon = await startDaemonProcess(cli, { env: { PATH: '/nowhere' } })
  await work(daemon)
  expect(findUnversioned(cli.home)).toEqual([])
  const paths = listFiles(cli.home)
  for (const written of [
    'MEMORY/STATE/knowledge-imports.json',
    'MEMORY/STATE/pushed-work-state.json',
    'MEMORY/STATE/statusline.json',
    'state/backups.json',
    'state/daemon.json',
    'state/hook-firings.jsonl',
    'state/history.sqlite',
  ]) {
    expect(paths).toContain(written)
  }
})
