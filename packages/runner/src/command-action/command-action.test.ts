import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '@steward/contract'
import { findCommand } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'

/** Installing packages takes long on a busy machine. */
const INSTALL_MS = 120_000
const hasPython = findCommand('python3', process.env.PATH ?? '').ok

const canInstall = hasPython && spawnSync('python3', ['-c', 'import pip, venv']).status === 0

/** A package of one file, as an index would serve it. */
const MAKE_WHEEL = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('tiny.py', 'SIZE = 7')
    wheel.writestr('tiny-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
    wheel.writestr('tiny-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('tiny-1.0.dist-info/RECORD', 'tiny.py,,\\ntiny-1.0.dist-info/METADATA,,\\ntiny-1.0.dist-info/WHEEL,,\\ntiny-1.0.dist-info/RECORD,,\\n')
`

/** uv as far as it is used here, with the installer of Python underneath. */
const standInUv = (log: string): string => `#!/bin/sh
echo "$@" >> ${log}
if [ "$1" = venv ]; then exec "$4" -m venv --without-pip "$5"; fi
python=$5; shift 5
exec python3 -m pip --python "$python" install --quiet --disable-pip-version-check --retries 1 "$@"
`

let home: TemporaryHome
let steward: LocalRuntime

const open = (path: string | undefined): Promise<LocalRuntime> =>
  openLocalRuntime({
    env: { STEWARD_HOME: home.path, PATH: path, GREETING_KEY: 'a-secret-value' },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
  })

beforeEach(async () => {
  home = createTemporaryHome()
  steward = await open(process.env.PATH)
})
afterEach(async () => {
  await steward.close()
  home.remove()
})

const writeAction = (name: string, manifest: object, files: Record<string, string>): string => {
  const folder = join(home.path, 'USER/ACTIONS', name)
  mkdirSync(folder, { recursive: true })
  const whole = { name, description: name, input: {}, output: {}, ...manifest }
  for (const [file, text] of Object.entries({ 'action.json': JSON.stringify(whole), ...files })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

const run = async (name: string, input: JsonObject = {}) => {
  const { runId, result } = await steward.runner.run(name, input)
  const step = steward.history.get(runId)?.steps[0]
  return { ...result, logs: step?.logs?.map(({ text }) => text), isolation: step?.isolation }
}

describe('an action in another language', () => {
  it('takes JSON and gives JSON, and its standard error is the log of the run', async () => {
    writeAction(
      'A_COUNT_LINES',
      {},
      {
        'action.sh':
          'echo counting >&2\nlines=$(grep -o "line" | wc -l)\necho "{\\"lines\\": $lines}"\n',
      },
    )
    expect(await run('A_COUNT_LINES', { content: 'line line' })).toMatchObject({
      output: { content: 'line line', lines: 2 },
      logs: ['counting'],
      isolation: expect.stringMatching(/^(bubblewrap|sandbox-exec)$/),
    })
  })

  it('runs any program that "command" names, with files of its folder as arguments', async () => {
    writeAction(
      'A_TELL_ENV',
      { command: ['awk', '-f', 'tell.awk'], env: { COLOUR: 'blue' }, secrets: ['GREETING_KEY'] },
      {
        'tell.awk':
          'END { printf "{\\"colour\\": \\"%s\\", \\"hasKey\\": %d, \\"home\\": \\"%s\\"}", ENVIRON["COLOUR"], (length(ENVIRON["GREETING_KEY"]) > 0), ENVIRON["STEWARD_HOME"] }',
      },
    )
    expect(await run('A_TELL_ENV')).toMatchObject({
      output: { colour: 'blue', hasKey: 1, home: '' },
    })
  })

  it('reads what readPaths names and nothing else', async () => {
    writeFileSync(join(home.path, 'words.txt'), 'allowed')
    writeFileSync(join(home.path, 'other.txt'), 'hidden')
    const script = `words=$(cat ${home.path}/words.txt 2>/dev/null); other=$(cat ${home.path}/other.txt 2>/dev/null)
printf '{"words": "%s", "other": "%s"}' "$words" "$other"`
    writeAction(
      'A_READ_WORDS',
      { readPaths: [join(home.path, 'words.txt')] },
      { 'action.sh': script },
    )
    expect(await run('A_READ_WORDS')).toMatchObject({ output: { words: 'allowed', other: '' } })
  })

  it('fails with its last words, and says what it should print', async () => {
    writeAction('A_END_BADLY', {}, { 'action.sh': 'echo "no such city" >&2; exit 3\n' })
    writeAction('A_PRINT_TEXT', {}, { 'action.sh': 'echo hello\n' })
    expect(await run('A_END_BADLY')).toMatchObject({
      error: { message: expect.stringContaining('it ended with code 3: no such city') },
    })
    expect(await run('A_PRINT_TEXT')).toMatchObject({
      error: {
        message: expect.stringContaining('print one JSON object, and notes to standard error'),
      },
    })
  })

  it('that never ends is killed at its time limit', async () => {
    writeAction('A_RUN_LONG', { timeoutMs: 300 }, { 'action.sh': 'sleep 1000\n' })
    expect(await run('A_RUN_LONG')).toMatchObject({
      error: { message: expect.stringContaining('300 ms') },
    })
  })

  it('is refused if it has a module, too', async () => {
    writeAction('A_DO_BOTH', {}, { 'action.sh': '', 'action.mjs': '' })
    await expect(run('A_DO_BOTH')).rejects.toThrow('two implementations: action.mjs and sh ')
  })

  it.runIf(hasPython)('is Python with the packages of its own .venv', async () => {
    const folder = writeAction(
      'A_SPEAK_PYTHON',
      {},
      {
        'action.py':
          'import json, sys\nfrom shapes import area\nprint("on it", file=sys.stderr)\njson.dump({"area": area(json.load(sys.stdin)["side"]), "program": sys.executable}, sys.stdout)\n',
        'shapes.py': 'def area(side):\n    return side * side\n',
      },
    )
    const plain = await run('A_SPEAK_PYTHON', { side: 3 })
    expect(plain).toMatchObject({ output: { area: 9 }, logs: ['on it'] })
    // Stands for an environment that the person made.
    const python = String('output' in plain ? plain.output.program : '')
    const own = join(folder, '.venv/bin/python')
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(own, `#!/bin/sh\nexec ${python} "$@"\n`)
    chmodSync(own, 0o755)
    expect(await run('A_SPEAK_PYTHON', { side: 4 })).toMatchObject({ output: { area: 16 } })
  })

  it.runIf(canInstall)(
    'is Python with packages that uv installs, if it is there',
    async () => {
      const tools = join(home.path, 'tools')
      const said = join(home.path, 'uv.log')
      mkdirSync(tools)
      writeFileSync(join(tools, 'uv'), standInUv(said))
      chmodSync(join(tools, 'uv'), 0o755)
      await steward.close()
      steward = await open(`${tools}:${process.env.PATH}`)
      const folder = writeAction(
        'A_USE_PACKAGE',
        {},
        {
          'action.py': 'import json, tiny\nprint(json.dumps({"size": tiny.SIZE}))\n',
          'requirements.txt': './missing-1.0-py3-none-any.whl\n',
        },
      )
      expect(await run('A_USE_PACKAGE')).toMatchObject({
        error: { code: 'invalid_definition', message: expect.stringContaining('missing-1.0') },
      })
      execFileSync('python3', ['-c', MAKE_WHEEL, join(folder, 'tiny-1.0-py3-none-any.whl')])
      writeFileSync(join(folder, 'requirements.txt'), './tiny-1.0-py3-none-any.whl\n')
      writeFileSync(said, '')
      expect(await run('A_USE_PACKAGE')).toMatchObject({ output: { size: 7 } })
      expect(await run('A_USE_PACKAGE')).toMatchObject({ output: { size: 7 } })
      const environment = join(folder, '.venv')
      expect(readFileSync(said, 'utf8').trim().split('\n')).toEqual([
        expect.stringMatching(/^venv --quiet --python \S+ .*\.venv$/),
        `pip install --quiet --python ${environment}/bin/python --only-binary :all: -r requirements.txt`,
      ])
    },
    INSTALL_MS,
  )

  it.runIf(canInstall)(
    'is Python with the packages of requirements.txt, installed once',
    async () => {
      const folder = writeAction(
        'A_USE_PACKAGE',
        {},
        {
          'action.py': 'import json, tiny\nprint(json.dumps({"size": tiny.SIZE}))\n',
          'requirements.txt': './missing-1.0-py3-none-any.whl\n',
        },
      )
      expect(await run('A_USE_PACKAGE')).toMatchObject({
        error: { code: 'invalid_definition', message: expect.stringContaining('missing-1.0') },
      })
      execFileSync('python3', ['-c', MAKE_WHEEL, join(folder, 'tiny-1.0-py3-none-any.whl')])
      writeFileSync(join(folder, 'requirements.txt'), './tiny-1.0-py3-none-any.whl\n')
      const first = await run('A_USE_PACKAGE')
      expect(first).toMatchObject({ output: { size: 7 } })
      expect(first.logs).toEqual([
        'installs the packages of requirements.txt, once until it changes',
      ])
      const second = await run('A_USE_PACKAGE')
      expect(second).toMatchObject({ output: { size: 7 } })
      expect(second.logs ?? []).toEqual([])
    },
    INSTALL_MS,
  )
})
