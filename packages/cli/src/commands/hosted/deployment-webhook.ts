import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { findByName } from './find-by-name.ts'
import { showAnswer } from './show-answer.ts'
import { type TargetFlags, withTarget } from './target.ts'

const SCHEMES = ['standard', 'github', 'hmac', 'stripe', 'slack'] as const
const headers = { 'anthropic-beta': 'managed-agents-2026-04-01' }

interface WebhookFlags extends TargetFlags {
  scheme: (typeof SCHEMES)[number]
  off?: true
}

interface Webhook {
  path: string
  scheme: string
  secret: string
}

/** Part of `deployments`: requests that run one. */
export const createDeploymentWebhookCommand = (io: Io): Command =>
  withTarget(new Command('webhook'))
    .description('Let signed requests run a deployment; print the secret once')
    .argument('<deployment>', 'its id or name')
    .addOption(
      new Option('--scheme <scheme>', 'how requests are signed')
        .choices(SCHEMES)
        .default('standard'),
    )
    .option('--off', 'disable the webhook')
    .action(async (word: string, flags: WebhookFlags) => {
      await showAnswer(
        io,
        flags,
        async (client) => {
          const list = () => client.beta.deployments.list()
          const id = await findByName('deployment', word, 'depl_', list)
          const path = `/v1/steward/deployments/${id}/webhook`
          if (flags.off) return client.delete<Partial<Webhook>>(path, { headers })
          const body = { scheme: flags.scheme }
          return client.post<Partial<Webhook>>(path, { body, headers })
        },
        ({ path, scheme, secret }) =>
          secret === undefined
            ? 'requests do not run it any more\n'
            : `POST ${path ?? ''} (${scheme ?? ''})\n${secret}\n`,
      )
    })
