import { createHash, randomBytes } from 'node:crypto'
import { type DeploymentRun, StewardError, unwrap, type WebhookScheme } from '@steward/contract'
import { verifyRequest } from '@steward/engine'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { execute, one, type Tx } from '../database/tx.ts'
import type { SessionPorts } from '../sessions/create-session.ts'
import type { Seal } from '../vaults/seal.ts'
import { runDeployment } from './run-deployment.ts'
import { getDeployment, holdOpenDeployment } from './stored-deployment.ts'
import { RUN_COLUMNS, toDeploymentRun } from './stored-run.ts'

/** Lets signed requests run the deployment; replaces an earlier secret. */
export function* createWebhook(
  id: string,
  { scheme, secret = createSecret() }: { scheme: WebhookScheme; secret?: string | undefined },
  seal: Seal,
) {
  yield* holdOpenDeployment(id)
  const sealed_secret = Buffer.from(seal.close(secret, id)).toString('base64')
  const webhook = JSON.stringify({ scheme, sealed_secret })
  yield* execute('UPDATE deployments SET webhook = $2 WHERE id = $1', id, webhook)
  const path = `/webhooks/deployments/${id}`
  return { type: 'deployment_webhook' as const, deployment_id: id, path, scheme, secret }
}

export function* deleteWebhook(id: string) {
  yield* getDeployment(id, 'hold')
  yield* execute('UPDATE deployments SET webhook = NULL WHERE id = $1', id)
  return { type: 'deployment_webhook_deleted' as const, deployment_id: id }
}

const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

interface Delivery {
  deploymentId: string
  body: Uint8Array<ArrayBuffer>
  header: (name: string) => string | undefined
  nowMs: number
}

/** Headers in which senders name a delivery. */
const ID_HEADERS = ['webhook-id', 'x-github-delivery', 'x-delivery-id']
/** As much of a request as an agent is shown. */
const SHOWN_CHARACTERS = 100_000
const SENDER = { scope: 'admin' } as const

/** Runs the deployment once per delivery; a repeated one gets the run of the first. */
export const receiveWebhook = async (
  database: HostedDatabase,
  { deploymentId, body, header, nowMs }: Delivery,
  ports: SessionPorts,
): Promise<DeploymentRun> => {
  const { webhook } = await database.read(() => getDeployment(deploymentId))
  if (webhook === null)
    throw new StewardError('hosted_not_found', { kind: 'webhook of deployment', id: deploymentId })
  const secret = ports.seal.open(Buffer.from(webhook.sealed_secret, 'base64'), deploymentId)
  unwrap(await verifyRequest({ scheme: webhook.scheme }, secret, { body, header }, nowMs))
  const named = ID_HEADERS.map(header).find((value) => value !== undefined && value !== '')
  const delivery = createHash('sha256')
    .update(named ?? body)
    .digest('hex')
  const text = new TextDecoder().decode(body).replaceAll('\0', '').slice(0, SHOWN_CHARACTERS)
  const content = [
    { type: 'text' as const, text: `This run was started by a webhook. What it sent:\n\n${text}` },
  ]
  return database.write(() =>
    runOnce(deploymentId, delivery, [{ type: 'user.message', content }], ports, nowMs),
  )
}

function* runOnce(
  id: string,
  delivery: string,
  events: NonNullable<Parameters<typeof runDeployment>[1]['events']>,
  ports: SessionPorts,
  nowMs: number,
): Tx<DeploymentRun> {
  const stored = yield* holdOpenDeployment(id)
  const known = yield* one(
    `SELECT ${RUN_COLUMNS} FROM deployment_runs WHERE deployment_id = $1 AND delivery = $2`,
    id,
    delivery,
  )
  if (known !== undefined) return toDeploymentRun(known)
  return yield* runDeployment(stored, { delivery, events }, ports, { key: SENDER, nowMs })
}
