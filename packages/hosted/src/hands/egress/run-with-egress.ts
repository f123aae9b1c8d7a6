import type { Sandbox, SandboxOutcome } from '@steward/platform'
import type { EgressOptions } from './egress.ts'
import { forwarderArgs } from './forwarder.ts'
import { openEgress } from './open-egress.ts'

export interface RunThrough {
  sandbox: Sandbox
  /** The only folder that the program may write to. */
  cwd: string
  env: Readonly<Record<string, string>>
  timeoutMs: number
  egress: Omit<EgressOptions, 'seenAt'>
  readOnlyPaths?: readonly string[]
  signal?: AbortSignal
}

const OUTPUT_BYTES = 64 * 1024

/** Runs one of the server's own programs in a small sandbox with a temporary egress. */
export const runThrough = async (
  argv: (egressEnv: Readonly<Record<string, string>>) => readonly string[],
  { sandbox, cwd, env, timeoutMs, egress: options, readOnlyPaths = [], signal }: RunThrough,
): Promise<SandboxOutcome> => {
  const opened = await openEgress({ ...options, seenAt: 'its-own-path' })
  try {
    const command = forwarderArgs(argv(opened.env), { mount: opened.folder, port: 0 })
    return await sandbox.run([process.execPath, ...command], {
      cwd,
      env: { ...opened.env, ...env },
      timeoutMs,
      network: false,
      maxOutputBytes: OUTPUT_BYTES,
      readOnlyPaths: [opened.folder, ...readOnlyPaths],
      ...(signal === undefined ? {} : { signal }),
    })
  } finally {
    await opened.close()
  }
}
