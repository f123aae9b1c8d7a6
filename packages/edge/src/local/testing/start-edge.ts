import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StewardError } from '@steward/contract'
import { systemClock } from '../clock.ts'
import { type LocalEdge, startLocalEdge } from '../local-edge.ts'
import type { SandboxRunner } from '../sandbox-worker.ts'
import { createMemoryStore } from './memory-store.ts'
import { type WorkerFiles, writeWorkerFiles } from './worker-files.ts'

export const TOKEN = 'f00dfeed'.repeat(8)

export interface TestEdge {
  edge: LocalEdge
  warnings: string[]
  /** Errors that the edge cannot recover from. */
  lost: StewardError[]
  stateFolder: string
  write: (short: string, files: WorkerFiles) => void
  /** A request with the token. */
  call: (
    worker: string,
    path: string,
    init?: RequestInit,
  ) => Promise<{ status: number; body: unknown }>
  stop: () => Promise<void>
}

export interface TestEdgeOptions {
  workers: Record<string, WorkerFiles>
  vars?: Record<string, string>
  sandboxRunner: SandboxRunner
}

/** A local edge on real workerd, in its own folders, with its queues in memory. */
export const startTestEdge = async (options: TestEdgeOptions): Promise<TestEdge> => {
  const root = mkdtempSync(join(tmpdir(), 'steward-edge-'))
  const workersFolder = join(root, 'workers')
  const write = (short: string, files: WorkerFiles) => writeWorkerFiles(workersFolder, short, files)
  for (const [short, files] of Object.entries(options.workers)) write(short, files)
  const workers = Object.keys(options.workers).map((short) => `exec-${short}`)
  // Any free port each.
  const ports = Object.fromEntries(workers.map((worker) => [worker, 0]))
  const basePort = 1
  const warnings: string[] = []
  const lost: StewardError[] = []
  const stateFolder = join(root, 'state')
  const edge = await startLocalEdge(
    {
      workersFolder,
      stateFolder,
      basePort,
      environment: { AUTH_TOKEN: TOKEN },
      vars: options.vars ?? {},
      clock: systemClock,
      isVirtual: false,
    },
    {
      queueStore: createMemoryStore(Date.now),
      sandboxRunner: options.sandboxRunner,
      ports: { read: async () => ({ basePort, ports }), write: async () => undefined },
      log: (level, message) => warnings.push(`${level} ${message}`),
      warn: (message) => warnings.push(message),
      onLost: (error) => lost.push(error),
      onFired: () => undefined,
      onDelivered: () => undefined,
    },
  )
  return {
    edge,
    warnings,
    lost,
    stateFolder,
    write,
    call: async (worker, path, init = {}) => {
      const address = edge.addresses().find((each) => each.worker === `exec-${worker}`)
      const response = await fetch(`${address?.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${TOKEN}`, ...init.headers },
      })
      return { status: response.status, body: await response.json() }
    },
    stop: async () => {
      await edge.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
