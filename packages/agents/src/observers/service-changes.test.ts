import { expect, it } from 'vitest'
import { isServiceChange } from './service-changes.ts'

it.each([
  'kubectl -n prod apply -f k8s/',
  'oc rollout restart deploy/web',
  '/usr/local/bin/helm upgrade --install shop charts/shop',
  'vercel --prod',
  'flyctl deploy -a shop',
  'wrangler secret put KEY',
  'aws --region eu-west-1 lambda update-function-code --function-name shop',
  'gcloud run deploy shop --image shop',
  'az webapp restart --name shop',
  'psql -h db shop -c ALTER TABLE orders ADD COLUMN note text',
  'ansible-playbook -i prod site.yml',
])('changes a service: %s', (command) => {
  expect(isServiceChange(command)).toBe(true)
})

it.each([
  'kubectl -n prod get pods',
  'kubectl config set-context prod',
  'kubectl create configmap x --dry-run=client -o yaml',
  'kubectl --context minikube apply -f k8s/',
  'helm template charts/shop',
  'vercel ls',
  'wrangler deploy --dry-run',
  'aws s3 ls s3://deploy',
  'aws configure set region eu-west-1',
  'az account set --subscription x',
  'gcloud config set project x',
  'psql shop -c select count(*) from grants',
  'psql shop_test -c CREATE TABLE t (a int)',
  'ansible-playbook site.yml --check',
  'echo kubectl apply -f x',
  'git commit -m vercel deploy --prod',
  'constructor apply',
  '',
])('changes no service: %s', (command) => {
  expect(isServiceChange(command)).toBe(false)
})
