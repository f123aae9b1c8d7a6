import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { VendorStandInOptions } from './stand-in-types.ts'

export interface SpawnedStandIn {
  url: string
  /** How many model calls it has received, and the prompts of each. */
  countCalls: () => Promise<{ count: number; prompts: string[] }>
  stop: () => Promise<void>
}

const callList = z.object({ count: z.int(), calls: z.array(z.object({ prompt: z.string() })) })

/** The stand-in as a separate process, so that it outlives the processes that a test kills. */
export const spawnVendorStandIn = async (
  options: VendorStandInOptions = {},
): Promise<SpawnedStandIn> => {
  const file = fileURLToPath(new URL('./vendor-stand-in.ts', import.meta.url))
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the stand-in ended with code ${code}`)))
  })
  return {
    url,
    countCalls: async () => {
      const { count, calls } = callList.parse(await (await fetch(`${url}/__calls`)).json())
      return { count, prompts: calls.map(({ prompt }) => prompt) }
    },
    stop: () => {
      child.kill()
      return ended
    },
  }
}
