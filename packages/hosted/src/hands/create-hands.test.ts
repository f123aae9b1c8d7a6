import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createHands } from './create-hands.ts'
import type { Hands, HandsSession } from './hands.ts'
import { provisionNothing } from './surroundings.ts'

let home: string
let hands: Hands
let count = 0

const session = (id: string): HandsSession => ({
  id,
  networking: { type: 'unrestricted' },
  packages: { apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  mounts: [],
  credentials: [],
})

const useOf =
  (taken: () => Hands) =>
  async (
    id: string,
    name: string,
    input: Record<string, unknown>,
    signal = new AbortController().signal,
  ) => {
    count += 1
    const call = { id: `sevt_${count}`, name, input, config: {} }
    const outcome = await taken().execute(session(id), call, signal)
    const text = outcome.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    return { text, isError: outcome.isError }
  }
const use = useOf(() => hands)
const bash = (command: string, id = 'sesn_1') => use(id, 'bash', { command })
const good = (text: string) => ({ text, isError: false })
const bad = (text: string) => ({ text, isError: true })

describe.runIf(process.platform === 'linux')('the hands of a session', () => {
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'steward-hands-'))
    hands = await createHands({ home })
  })
  afterAll(async () => {
    await hands.close()
    await rm(home, { recursive: true, force: true })
  })

  it('keep folder, variables and functions between commands', async () => {
    await bash('cd /tmp; export NAME=ada; greet() { echo "hi $NAME"; }')
    expect(await bash('pwd; greet')).toEqual(good('/tmp\nhi ada'))
    await use('sesn_1', 'bash', { restart: true })
    expect(await bash('pwd; echo "[$NAME]"')).toEqual(good('/workspace\n[]'))
  })

  it('merge both outputs in order and report the exit code', async () => {
    expect(await bash('echo 1; echo 2 >&2; echo 3; (exit 7)')).toEqual(
      bad('1\n2\n3\n[exit code 7]'),
    )
  })

  it('give a command no input, and always detect its end', async () => {
    expect(await bash('cat; read x; echo "[$x]"')).toEqual(good('[]'))
    expect(await bash('if')).toMatchObject({ isError: true, text: expect.stringMatching(/syntax/) })
    expect(await bash("echo 'it''s' \"a\nb\" $'\\x27'")).toEqual(good("its a\nb '"))
    expect(await bash('exec >/dev/null 2>&1; echo lost')).toEqual(good(''))
    await use('sesn_1', 'bash', { restart: true })
  })

  it('continue with a new shell after one that ended', async () => {
    expect(await bash('echo bye; exit 3')).toEqual(
      bad('bye\n[the shell ended with code 3; the next command gets a new shell]'),
    )
    expect(await bash('echo again')).toEqual(good('again'))
  })

  it('run the commands of one session one after the other', async () => {
    const texts = await Promise.all([1, 2, 3].map((n) => bash(`n=$((n * 10 + ${n})); echo $n`)))
    expect(texts.map(({ text }) => text)).toEqual(['1', '12', '123'])
  })

  it('strip colours, and keep the end of a long output with all of it in a file', async () => {
    expect(await bash("printf '\\e[31mred\\e[0m\\n'")).toEqual(good('red'))
    const { text } = await bash('seq 1 100000')
    expect(text.split('\n').at(-1)).toBe('100000')
    expect(Buffer.byteLength(text)).toBeLessThan(104_000)
    const path = /in (\S+\.txt);/.exec(text)?.[1]
    expect(await bash(`wc -l < ${path}; head -1 ${path}`)).toEqual(good('100000\n1'))
  })

  it('end a command when the turn is interrupted', async () => {
    const stop = new AbortController()
    const outcome = use('sesn_stop', 'bash', { command: 'echo $$ > pid; sleep 1000' }, stop.signal)
    const failed = expect(outcome).rejects.toThrow('interrupted')
    await use('sesn_stop', 'read', { file_path: 'none' })
    stop.abort(new Error('interrupted'))
    await failed
    expect(await bash('echo here', 'sesn_stop')).toEqual(good('here'))
  })

  it('read, write and edit files', async () => {
    const at = { file_path: 'deep/er/a.txt' }
    expect(await use('sesn_f', 'write', { ...at, content: 'one\ntwo\ntwo\n' })).toEqual(
      good('wrote 12 bytes to /workspace/deep/er/a.txt'),
    )
    expect(await use('sesn_f', 'read', at)).toEqual(good('one\ntwo\ntwo\n'))
    expect(await use('sesn_f', 'read', { ...at, view_range: [2, 2] })).toEqual(good('two\n'))
    expect(await use('sesn_f', 'read', { ...at, view_range: [2, -1] })).toEqual(good('two\ntwo\n'))
    const edit = (old_string: string, more = {}) =>
      use('sesn_f', 'edit', { ...at, old_string, new_string: '$&', ...more })
    expect(await edit('two')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/2 times/),
    })
    expect(await edit('three')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/0 matches/),
    })
    expect(await edit('two', { replace_all: true })).toMatchObject({ isError: false })
    expect(await use('sesn_f', 'read', at)).toEqual(good('one\n$&\n$&\n'))
    const host = join(home, 'hosted/workspaces/sesn_f/workspace/deep/er/a.txt')
    expect(await readFile(host, 'utf8')).toBe('one\n$&\n$&\n')
  })

  it('keep binary content and the mode when editing', async () => {
    await bash("printf 'a\\xffb' > bin; chmod 751 bin", 'sesn_f')
    await use('sesn_f', 'edit', { file_path: 'bin', old_string: 'b', new_string: 'é' })
    expect(await bash('od -An -tx1 bin; stat -c %a bin', 'sesn_f')).toEqual(
      good(' 61 ff c3 a9\n751'),
    )
  })

  it('read no more than 256 KiB, and lines of larger files', async () => {
    await bash('seq 1 100000 > big', 'sesn_f')
    expect(await use('sesn_f', 'read', { file_path: 'big' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/view_range/),
    })
    expect(await use('sesn_f', 'read', { file_path: 'big', view_range: [99_999, 0] })).toEqual(
      good('99999\n100000\n'),
    )
    expect(await use('sesn_f', 'read', { file_path: 'big', view_range: [1, 0] })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/choose fewer lines/),
    })
  })

  it('find files, newest first, and lines in them', async () => {
    await bash(
      'mkdir -p src .git node_modules/x; for f in src/a.ts src/b.ts .git/c.ts node_modules/x/d.ts; do echo "const x = 1" > $f; done; touch -d 2020-01-01 src/b.ts',
      'sesn_g',
    )
    expect(await use('sesn_g', 'glob', { pattern: '**/*.ts' })).toEqual(
      good('/workspace/src/a.ts\n/workspace/src/b.ts'),
    )
    expect(await use('sesn_g', 'glob', { pattern: '*.py' })).toMatchObject({
      text: expect.stringMatching(/no matches/),
    })
    const lines = await use('sesn_g', 'grep', { pattern: 'const\\s+x', path: 'src' })
    expect(lines.text.split('\n').toSorted()).toEqual([
      '/workspace/src/a.ts:1:const x = 1',
      '/workspace/src/b.ts:1:const x = 1',
    ])
    expect(await use('sesn_g', 'grep', { pattern: 'nothing' })).toMatchObject({ isError: false })
    expect(await use('sesn_g', 'grep', { pattern: '(' })).toMatchObject({ isError: true })
  })

  it('report what is wrong with a call', async () => {
    expect(await use('sesn_1', 'fly', {})).toEqual(bad('there is no tool fly'))
    for (const [name, input] of [
      ['bash', {}],
      ['bash', { command: 'a\0b' }],
      ['read', {}],
      ['read', { file_path: 'a\0b' }],
      ['edit', { file_path: 'x', old_string: '', new_string: 'a' }],
      ['write', { file_path: 'x' }],
      ['glob', { pattern: 7 }],
    ] as const) {
      expect(await use('sesn_1', name, input)).toMatchObject({ isError: true })
    }
  })

  it('keep the workspace when the server restarts, in a new sandbox', async () => {
    const first = await createHands({ home })
    const useFirst = useOf(() => first)
    await useFirst('sesn_keep', 'bash', { command: 'echo kept > file; sleep 1000 &' })
    await first.close()
    expect(await bash('cat file', 'sesn_keep')).toEqual(good('kept'))
  })

  it('save what a call changed after the turn of another thread had ended', async () => {
    const log: string[] = []
    const isRead = Promise.withResolvers<void>()
    const isCopied = Promise.withResolvers<void>()
    const shared = await createHands({
      home,
      files: {
        arrive: async () => {
          log.push('changes from now on')
          return { notes: [], losses: [] }
        },
        save: async (_, folder) => {
          const text = await readFile(join(folder, 'workspace/report'), 'utf8').catch(() => 'none')
          isRead.resolve()
          await isCopied.promise
          log.push(`saved ${text.trim()}`)
        },
      },
    })
    const useShared = useOf(() => shared)
    await useShared('sesn_t', 'bash', { command: 'mkfifo go' })
    const workspace = join(home, 'hosted/workspaces/sesn_t/workspace')
    const writes = useShared('sesn_t', 'bash', { command: 'read line < go; echo $line > report' })
    // Opens as soon as the command reads.
    const go = await open(join(workspace, 'go'), 'w')
    const first = shared.save('sesn_t')
    await isRead.promise
    await go.write('late\n')
    await go.close()
    await vi.waitFor(async () => {
      expect(await readFile(join(workspace, 'report'), 'utf8')).toBe('late\n')
    })
    isCopied.resolve()
    expect(await writes).toEqual(good(''))
    await first
    await shared.save('sesn_t')
    await shared.save('sesn_t')
    expect(log).toEqual([
      ...['changes from now on', 'changes from now on', 'saved none'],
      ...['changes from now on', 'saved late'],
    ])
    await shared.close()
  })

  it('turn a sandbox that cannot start into a tool error, and try again', async () => {
    let isBroken = true
    const odd = await createHands({
      home,
      surround: async (...given) => {
        const surroundings = await provisionNothing(...given)
        if (!isBroken) return surroundings
        const binds = [{ host: '/not/there', inside: '/x', mode: 'ro' as const }]
        return { ...surroundings, parts: { ...surroundings.parts, binds } }
      },
    })
    const useOdd = useOf(() => odd)
    const call = () => useOdd('sesn_odd', 'bash', { command: 'echo fine' })
    expect(await call()).toMatchObject({ isError: true, text: expect.stringMatching(/not.there/) })
    isBroken = false
    expect(await call()).toEqual(good('fine'))
    await odd.close()
  })

  it('start companions beside the shell, in its namespaces', async () => {
    const odd = await createHands({
      home,
      surround: async (...given) => {
        const surroundings = await provisionNothing(...given)
        const companions = [['/bin/sh', '-c', "sleep 12345 & echo 'it' > /tmp/started; wait"]]
        const env = { EXTRA: 'yes' }
        return { ...surroundings, parts: { ...surroundings.parts, companions, env } }
      },
    })
    const useOdd = useOf(() => odd)
    const command = 'until [ -s /tmp/started ]; do :; done; cat /tmp/started; echo $EXTRA'
    expect(await useOdd('sesn_c', 'bash', { command })).toEqual(good('it\nyes'))
    await odd.close()
  })

  it('fall back to process limits without control groups', async () => {
    const plain = await createHands({
      home,
      limiter: 'rlimits',
      limits: { memoryBytes: 64 * 1024 ** 2, processes: 20 },
    })
    expect(plain.describe()).toMatchObject({ limits: 'rlimits', isolated: true })
    expect(plain.describe().remarks.join()).toContain('Delegate=yes')
    const usePlain = useOf(() => plain)
    const memory = `perl -e '$x = "a" x (200 * 1024 * 1024); print "taken"'`
    expect(await usePlain('sesn_r', 'bash', { command: memory })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Out of memory/),
    })
    const forks = `perl -e 'for (1 .. 50) { $p = fork; if (!defined $p) { print $!; exit } if (!$p) { sleep 100; exit } }'`
    expect((await usePlain('sesn_r', 'bash', { command: forks })).text).toMatch(
      /Resource temporarily unavailable/,
    )
    await plain.close()
  })

  it('disable isolation only when asked to, and report it', async () => {
    const open = await createHands({ home, driver: 'none' })
    expect(open.describe()).toMatchObject({ driver: 'none', isolated: false })
    const useOpen = useOf(() => open)
    await useOpen('sesn_n', 'write', { file_path: '/workspace/a', content: 'x' })
    expect(await useOpen('sesn_n', 'bash', { command: 'cat a; pwd' })).toEqual(
      good(`x${join(home, 'hosted/workspaces/sesn_n/workspace')}`),
    )
    await open.close()
  })
})
