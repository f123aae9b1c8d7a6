import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { type Cli, createCli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

const root = join(import.meta.dirname, '../..')
let cli: Cli
beforeAll(() => {
  cli = createCli(CLONE_LAUNCHER)
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${CLONE_LAUNCHER}" "$@"\n`
  chmodSync(cli.write('bin/steward', shim), 0o755)
  // `npx steward …` in the README runs the clone's own command.
  chmodSync(cli.write('bin/npx', '#!/bin/sh\nexec "$@"\n'), 0o755)
})
afterAll(() => cli.remove())

const bash = (script: string) =>
  spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    cwd: root,
    env: {
      PATH: `${join(cli.files, 'bin')}:${process.env.PATH}`,
      HOME: cli.files,
      XDG_CACHE_HOME: CACHE_HOME,
      STEWARD_HOME: cli.home,
      LLM_PROVIDER: 'offline',
    },
  })

describe('in a shell', () => {
  it('pipes from one action to the next', () => {
    const { status, stdout } = bash(
      'steward run A_SUMMARIZE --local --content @README.md | steward run A_FORMAT_MARKDOWN --local --title "The README"',
    )
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ title: 'The README', body: expect.any(String) })
  })

  it('tolerates a reader that stops and a closed standard input', () => {
    const left = bash('steward list --json | head -c 10; echo " ${PIPESTATUS[0]}"')
    expect(left.stdout).toBe('{"actions" 0\n')
    expect(left.stderr).toBe('')
    expect(
      bash('steward run A_SUMMARIZE --local --content "A sentence." --quiet <&-'),
    ).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  it('completes in bash', () => {
    const { stdout } = bash(
      'source <(steward completion bash); COMP_WORDS=(steward trigger F_SAM); COMP_CWORD=2; _steward; echo "${COMPREPLY[@]}"',
    )
    expect(stdout).toBe('F_SAMPLE_DIGEST F_SAMPLE_REFINE\n')
  })
})
