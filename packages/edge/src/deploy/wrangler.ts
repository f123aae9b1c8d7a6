import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject, parseJson, StewardError } from '@steward/contract'
import { z } from 'zod'
import { requireFromEdge } from '../edge-root.ts'
import {
  type ChildProcessResult,
  END_WITH_PARENT,
  type RunChildProcess,
} from './run-child-process.ts'
import { wranglerEnvironment } from './wrangler-environment.ts'

export interface WranglerPorts {
  env: Readonly<Record<string, string | undefined>>
  /** The Node that runs wrangler: the one that runs Steward. */
  node: string
  /** The folder of Node's compile cache, if it is enabled. */
  compiled?: string | undefined
  run: RunChildProcess
  signal: AbortSignal
}

/** Wrangler's report of an upload. */
interface Upload {
  version: string | null
  url: string | null
}

export interface Wrangler {
  deploy: (directory: string, account: string, labels: { tag: string }) => Promise<Upload>
  /** Everything but the upload; does not call the platform. */
  tryDeploy: (directory: string) => Promise<void>
  /** Passes the value on standard input. Check that the worker exists: wrangler would create it. */
  putSecret: (worker: string, account: string, name: string, value: string) => Promise<void>
  /** Deletes a worker with its secrets, crons and versions, even if others call it. */
  deleteWorker: (worker: string, account: string) => Promise<void>
  /** The token of the login, renewed if it has expired; undefined without a login. */
  readToken: () => Promise<string | undefined>
}

/** The real wrangler as a child process. Its logs go to a temporary folder. */
export const createWrangler = ({ env, node, compiled, run, signal }: WranglerPorts): Wrangler => {
  const start = async <Value>(
    args: readonly string[],
    given: { cwd?: string; account?: string; stdin?: string },
    read: (result: ChildProcessResult, scratch: string) => Promise<Value>,
  ): Promise<Value> => {
    const scratch = await mkdtemp(join(tmpdir(), 'steward-wrangler-'))
    try {
      const result = await run({
        program: node,
        args: ['--no-warnings', ...END_WITH_PARENT, findWrangler(), ...args],
        // Not the user's folder, because wrangler reads .env files in its working folder.
        cwd: given.cwd ?? scratch,
        env: wranglerEnvironment(env, {
          account: given.account,
          logs: join(scratch, 'logs'),
          output: join(scratch, OUTPUT),
          compiled,
        }),
        ...(given.stdin === undefined ? {} : { stdin: given.stdin }),
        endsWithUs: true,
        signal,
      })
      return await read(result, scratch)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }
  return {
    deploy: (directory, account, { tag }) =>
      start(['deploy', '--tag', tag], { cwd: directory, account }, async (result, scratch) => {
        refuseFailure(result, 'deploy')
        return readUpload(await readFile(join(scratch, OUTPUT), 'utf8'))
      }),
    tryDeploy: (directory) =>
      start(['deploy', '--dry-run'], { cwd: directory }, async (result) =>
        refuseFailure(result, 'deploy --dry-run'),
      ),
    putSecret: (worker, account, name, value) =>
      start(['secret', 'put', name, '--name', worker], { account, stdin: value }, async (result) =>
        refuseFailure(result, `secret put ${name}`),
      ),
    deleteWorker: (worker, account) =>
      start(['delete', '--name', worker, '--force'], { account }, async (result) =>
        refuseFailure(result, `delete ${worker}`),
      ),
    readToken: () =>
      start(['auth', 'token', '--json'], {}, async ({ code, stdout }) => {
        if (code !== 0) return undefined
        const answer = parseJson(stdout, 'the answer of wrangler auth token')
        const value = answer.ok && isJsonObject(answer.value) ? answer.value.token : undefined
        return typeof value === 'string' ? value : undefined
      }),
  }
}

const OUTPUT = 'output.jsonl'

/**
 * The module instead of the command, which would start another process that signals do not reach.
 */
const findWrangler = (): string => requireFromEdge.resolve('wrangler')

const refuseFailure = ({ code, stdout, stderr }: ChildProcessResult, what: string): void => {
  if (code === 0) return
  const said = (stderr.trim() || stdout.trim()).slice(-MOST_SAID_CHARS)
  const reason = `wrangler ${what} exited with ${code ?? 'a signal'}: ${said || 'no output'}`
  throw new StewardError('upstream_failed', { service: 'the platform', reason })
}

const MOST_SAID_CHARS = 2000

const deployLine = z.object({
  type: z.literal('deploy'),
  version_id: z.string().nullish(),
  targets: z.array(z.string()).nullish(),
})

const readUpload = (lines: string): Upload => {
  for (const line of lines.split('\n')) {
    const json = parseJson(line, "a line of wrangler's report")
    const parsed = deployLine.safeParse(json.ok ? json.value : undefined)
    if (!parsed.success) continue
    const url = parsed.data.targets?.find((target) => /^https?:/.test(target))
    return { version: parsed.data.version_id ?? null, url: url ?? null }
  }
  throw new StewardError('upstream_failed', {
    service: 'wrangler',
    reason: 'it exited without an error but did not report the upload',
  })
}
