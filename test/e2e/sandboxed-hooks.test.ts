import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ASSISTANTS, confineAgent } from '@steward/assistants'
import { holdLock, resolveHome } from '@steward/platform'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { buildHook } from './hooks-process.ts'

let file = ''
beforeAll(() => {
  file = buildHook()
})

/** A person with the hooks of Steward, a secret, and a project that an assistant works on. */
const setUp = () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-sandboxed-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [homedir, folder] = [join(root, 'person'), join(root, 'project')]
  const home = resolveHome({ STEWARD_HOME: join(root, 'home') })
  for (const each of [join(homedir, '.claude'), folder, home.databases]) {
    mkdirSync(each, { recursive: true })
  }
  writeFileSync(join(homedir, '.claude', 'settings.json'), '{}')
  writeFileSync(home.settings, '{}')
  writeFileSync(home.token, 'the-token')
  writeFileSync(home.envFile, 'KEY=the-secret\n')
  const env = { PATH: process.env.PATH, HOME: homedir, STEWARD_HOME: home.root }
  const run = async (command: string, args: string[], input = '') => {
    const program = { node: process.execPath, file }
    const confined = await confineAgent(
      { own: () => [join(homedir, '.claude')] },
      { command, args },
      {
        ...{ folder, project: folder, writable: [], homedir, env },
        hooks: { home, program, assistant: ASSISTANTS.claude },
      },
    )
    return spawnSync(confined.command, [...confined.args], {
      env,
      cwd: folder,
      input,
      encoding: 'utf8',
      timeout: 30_000,
    })
  }
  const guard = (command: string) =>
    run(
      process.execPath,
      [file, 'PreToolUse', '--host', 'claude', '--guard'],
      JSON.stringify({
        ...{ session_id: 's1', hook_event_name: 'PreToolUse', cwd: folder },
        ...{ tool_name: 'Bash', tool_input: { command } },
      }),
    )
  return { homedir, home, run, guard }
}

it('judges calls inside the sandbox by the policy, and reports refusals to the daemon', async () => {
  const { home, guard } = setUp()
  const reported: string[] = []
  const server = createServer((request, response) => {
    reported.push(request.url?.split('?')[0] ?? '')
    request.resume().once('end', () => response.end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const at = server.address()
  const port = typeof at === 'object' ? at?.port : 0
  const lock = holdLock(join(home.databases, 'daemon.lock'))
  onTestFinished(() => lock?.release())
  writeFileSync(
    join(home.databases, 'daemon.json'),
    JSON.stringify({ address: `http://127.0.0.1:${port}` }),
  )
  const refused = await guard('rm -rf /')
  expect(JSON.parse(refused.stdout).hookSpecificOutput.permissionDecision).toBe('deny')
  await expect.poll(() => reported).toContain('/hooks/security-guard')
  expect(await guard('ls')).toMatchObject({ stdout: '', status: 0 })
})

it('shows neither the token nor the secrets, and protects the files that register hooks', async () => {
  const { homedir, home, run } = setUp()
  const settings = join(homedir, '.claude', 'settings.json')
  const script = `cat ${home.token} ${home.envFile}; echo evil > ${settings}; echo ok > ${homedir}/.claude/mine; cat ${settings}`
  const { stdout, stderr } = await run('/bin/sh', ['-c', script])
  expect(stdout.trim()).toBe('{}')
  expect(stderr).not.toContain('the-')
  expect(stderr).toMatch(/Read-only file system/)
  expect(readFileSync(settings, 'utf8')).toBe('{}')
  expect(readFileSync(join(homedir, '.claude', 'mine'), 'utf8')).toBe('ok\n')
})
