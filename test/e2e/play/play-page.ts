import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingLines } from './compare-output.ts'
import type { Block } from './read-page.ts'
import type { Stage } from './stages.ts'

/** Reads the names of blocks from its fourth stream and runs each, as a person at one prompt would. */
const PROMPT = `
exec 2>&1
while IFS=' ' read -r how block <&3; do
  case $how in
    run) set -x; . "$block" 3<&-; { set +x; } 2>/dev/null ;;
    keep) { sh -ex "$block" 3<&- || echo "== ended: $block"; } & ;;
    ask-*) yes "\${how#ask-}" | head -n 9 | script -qfec "sh -ex $block" /dev/null 3<&- ;;
  esac
  echo "== end of $block"
done`

interface Played {
  code: number | null
  text: string
  /** The lines that the page shows and its commands did not print, with their place. */
  unlike: string[]
}

interface PlayOptions {
  /** The working directory; the files of the player are here too. */
  cwd: string
  env: Readonly<Record<string, string>>
  stage: Stage
  /** In a clone `npx steward` is the program; elsewhere it is on the PATH. */
  usesNpx?: boolean
}

const STEP_MS = 50
/** The exit code of a page whose program should keep running, and ended. */
const FAILED = 1

/** Runs blocks in order until one fails; programs that they leave running are killed at the end. */
export const playBlocks = async (
  blocks: readonly Block[],
  { cwd, env, stage, usesNpx = false }: PlayOptions,
): Promise<Played> => {
  // A file, because a program of Node makes a pipe non-blocking for all who share it: `curl` would
  // then fail while the pipe is full.
  const printed = join(env.HOME ?? cwd, '.printed.txt')
  const output = openSync(printed, 'a')
  const child = spawn('sh', ['-e', '-c', PROMPT], {
    cwd,
    detached: true,
    env,
    stdio: ['ignore', output, 'ignore', 'pipe'],
  })
  closeSync(output)
  let text = ''
  const readPrinted = () => {
    text = readFileSync(printed, 'utf8')
  }
  const starts = new Map<number, number>()
  const ends = new Map<number, number>()
  let code: number | null | undefined
  const closed = new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (given) => {
      code = given
      resolve()
    })
  })
  const until = async (isReached: () => boolean): Promise<void> => {
    while (code === undefined && !isReached()) {
      await stage.person?.()
      await Promise.race([closed, new Promise((next) => setTimeout(next, STEP_MS))])
      readPrinted()
    }
  }
  try {
    const prompt = promptOf(child)
    const first = stage.before === undefined ? [] : [{ line: 0, script: `${stage.before}\n` }]
    const played: Block[] = [
      ...first,
      ...blocks.filter(({ notRun }) => notRun === undefined),
    ].flatMap(splitAtIds)
    for (const [number, block] of played.entries()) {
      starts.set(block.line, starts.get(block.line) ?? text.length)
      const file = join(env.HOME ?? cwd, `.block-${number}.sh`)
      const from = text.length
      const filled = fillIn(block.script, text, stage.fill, env.STEWARD_PORT)
      writeFileSync(file, usesNpx ? filled : filled.replaceAll(/\bnpx steward\b/g, 'steward'))
      prompt.write(`${howToRun(block)} ${file}\n`)
      await until(() => text.includes(`== end of ${file}`, from))
      const { readyAt } = block
      if (readyAt !== undefined) {
        const hasEnded = () => text.includes(`== ended: ${file}`, from)
        await until(() => text.includes(readyAt, from) || hasEnded())
        if (hasEnded()) return { code: FAILED, text, unlike: [] }
      }
      ends.set(block.line, readyAt === undefined ? text.length : Number.POSITIVE_INFINITY)
      if (code !== undefined) break
    }
    prompt.end()
    await closed
  } finally {
    if (child.pid !== undefined) endGroup(child.pid)
  }
  readPrinted()
  const outputOf = ({ line }: Block) => text.slice(starts.get(line), ends.get(line))
  const unlike = blocks.flatMap((block) => findUnlike(block, outputOf(block)))
  return { code: code ?? null, text, unlike }
}

const findUnlike = ({ notRun, shown }: Block, output: string): string[] =>
  notRun === undefined && shown !== undefined
    ? missingLines(shown, output).map((line) => `line ${shown.line} shows: ${line}`)
    : []

/** Each line by itself, if one needs an id that a line before it prints. */
const splitAtIds = (block: Block): Block[] =>
  block.script.includes('_…')
    ? block.script
        .trim()
        .split('\n')
        .map((line) => ({ ...block, script: `${line}\n` }))
    : [block]

const howToRun = ({ readyAt, answer }: Block): string => {
  if (answer !== undefined) return `ask-${answer}`
  return readyAt === undefined ? 'run' : 'keep'
}

const promptOf = ({ stdio }: ChildProcess) => {
  const stream = stdio[3]
  if (stream === null || stream === undefined || !('write' in stream)) {
    throw new Error('the shell has no fourth stream')
  }
  return stream
}

/**
 * Pages write `sesn_…` for an id that an earlier command printed: the newest one of its kind. The
 * usual port may be in use.
 */
const fillIn = (
  script: string,
  text: string,
  fill: Readonly<Record<string, string>> = {},
  port = '31337',
): string => {
  const ids = script.replaceAll(
    /\b([a-z]+_)…/g,
    (written, prefix) =>
      text.match(new RegExp(`\\b${prefix}[A-Za-z0-9]{6,}`, 'g'))?.at(-1) ?? written,
  )
  const filled = Object.entries(fill).reduce((all, [from, to]) => all.replaceAll(from, to), ids)
  return filled.replaceAll(':31337', `:${port}`)
}

const endGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
}

/** The words that are missing, or that come before their turn. */
export const missingFrom = (text: string, words: readonly string[]): string[] => {
  let at = 0
  return words.filter((word) => {
    const found = text.indexOf(word, at)
    if (found !== -1) at = found
    return found === -1
  })
}
