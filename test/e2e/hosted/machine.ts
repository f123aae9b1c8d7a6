import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { type Cli, createCli } from '../cli-process.ts'
import { type HostedProcess, startHostedProcess } from '../hosted-process.ts'

/** A machine with its own data home. */
export interface Machine {
  cli: Cli
  start: () => Promise<HostedProcess>
  client: (server: HostedProcess) => Anthropic
  /** Stops its servers, also those of a test that fails, and removes the data home. */
  remove: () => Promise<void>
}

export const createMachine = (env: Record<string, string>): Machine => {
  const cli = createCli()
  const started: HostedProcess[] = []
  return {
    cli,
    start: async () => {
      const server = await startHostedProcess(cli, env)
      started.push(server)
      return server
    },
    client: ({ address }) =>
      new Anthropic({
        apiKey: readFileSync(join(cli.home, 'hosted/own.key'), 'utf8').trim(),
        baseURL: address,
      }),
    remove: async () => {
      await Promise.all(started.map((server) => server.stop()))
      cli.remove()
    },
  }
}
