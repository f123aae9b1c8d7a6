import type { PatternSection, SecurityPattern } from '@steward/contract'

/**
 * The built-in patterns. They are matched on each part of a command with its quotes resolved and what
 * runs it (sudo, env, timeout, bash -c…) taken off, so they may start with the program's name.
 */
export const DEFAULT_PATTERNS: Readonly<Record<PatternSection, readonly SecurityPattern[]>> = {
  trusted: [],
  blocked: [
    {
      pattern: String.raw`^format\s+[a-z]:|^(del|erase|rd|rmdir)\b.*\s/s\b|^netsh advfirewall set .*off`,
      reason: 'erases a disk, or much of it',
    },
    {
      pattern: String.raw`\b(169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200)\b`,
      reason: 'asks the cloud for the credentials of this machine',
    },
    {
      pattern: String.raw`^(mkfs|mke2fs|newfs|mkdosfs|wipefs|mkswap|badblocks\b.*\s-\w*[wn])\b`,
      reason: 'makes a file system on a disk and destroys what is there',
    },
    {
      pattern: String.raw`^(fdisk|sfdisk|sgdisk|gdisk|parted|blkdiscard|hdparm --security-erase)\b(?!.* (-l|--list|print)\b)`,
      reason: 'changes how a disk is divided',
    },
    {
      pattern: String.raw`^cryptsetup\s+(luksFormat|erase|luksErase)`,
      reason: 'destroys an encrypted disk',
    },
    {
      pattern: String.raw`^diskutil\s+(erase|partition|zeroDisk|secureErase|apfs delete)`,
      reason: 'erases a disk',
    },
    {
      pattern: '^zpool destroy|^zfs destroy|^lvremove|^vgremove|^pvremove',
      reason: 'destroys a storage volume',
    },
    {
      pattern: String.raw`^(userdel|deluser|usermod|visudo|vipw|chpasswd)\b`,
      reason: 'changes who may use this machine',
    },
    {
      pattern: String.raw`^gpg2?\b.*--(export|delete)-secret`,
      reason: 'writes out a private key',
    },
    {
      pattern: String.raw`^history\s+-[cw]|^unset HISTFILE`,
      reason: 'hides what was done',
    },
    {
      pattern: '^gh (repo delete|auth token)|^gh repo edit .*--visibility[= ]public',
      reason: 'deletes or opens a repository',
    },
    {
      pattern: '^git push .*--mirror',
      reason: 'replaces everything on the remote',
    },
    {
      pattern:
        '^aws iam (create-access-key|attach-user-policy|put-user-policy|create-login-profile)',
      reason: 'hands out rights in the cloud account',
    },
    {
      pattern:
        '^csrutil disable|^spctl --master-disable|^setenforce 0|^systemctl (stop|disable|mask) .*(auditd|apparmor|firewalld|ufw)',
      reason: 'turns a protection of the system off',
    },
    {
      pattern: '^steward (hooks uninstall|security (off|disable))',
      reason: 'takes the guards away',
    },
    {
      pattern: '^security (delete-keychain|dump-keychain|export)',
      reason: 'opens the keychain',
    },
  ],
  confirm: [
    {
      pattern: String.raw`^(sudo|doas|pkexec|su|runuser)\b`,
      reason: 'runs with the rights of another user',
    },
    {
      pattern: String.raw`^git push\b.*(\s--force\b(?!-)|\s-[a-z]*f\b|\s\+\S+|\s--delete\b|\s-d\b|\s:\S+)`,
      reason: 'overwrites or deletes on the remote',
    },
    {
      pattern: String.raw`^git reset\b.*--hard`,
      reason: 'throws uncommitted work away',
    },
    {
      pattern: String.raw`^git clean\b(?!.*(-[a-z]*n\b|--dry-run))(?! [a-z -]*( (\./)?(build|dist|out|target|coverage|node_modules|tmp|\.cache|\.next|\.nuxt|\.turbo|__pycache__|\.venv|venv)/?)+$).*(-[a-z]*f|--force)`,
      reason: 'deletes files that git does not know',
    },
    {
      pattern: String.raw`^git (checkout|restore)\b(?!.*(--staged|\s-S\b)(?!.*(--worktree|\s-W\b))).*(\s--\s|\s\.$|\s\.\s|\s-f\b|--force|\s:/)`,
      reason: 'throws uncommitted work away',
    },
    {
      pattern: String.raw`^git restore\b(?!.*(--staged|\s-S\b))|^git restore\b.*(--worktree|\s-W\b)`,
      reason: 'throws uncommitted work away',
    },
    {
      pattern:
        '^git (filter-branch|filter-repo|update-ref -d|reflog (expire|delete)|stash (drop|clear)|gc .*--prune=(now|all))',
      reason: 'rewrites or drops history',
    },
    {
      pattern: String.raw`^git branch\b.*(--delete --force|-d -f)|^git tag\b.*\s(-d|--delete)\b|^git worktree remove\b.*(-f|--force)|^git switch\b.*(--discard-changes|\s-f\b)`,
      reason: 'deletes work that may be nowhere else',
    },
    {
      pattern: String.raw`^git config\b.*(core\.hookspath|credential\..*helper|core\.sshcommand)`,
      reason: 'changes what git runs or where it keeps passwords',
    },
    {
      pattern: String.raw`^git commit\b.*--no-verify|^git push\b.*--no-verify`,
      reason: 'skips the checks of the repository',
    },
    {
      pattern: String.raw`^(npm|pnpm|yarn|bun)( npm)? (publish|unpublish|deprecate|owner|dist-tag (add|rm)|token)\b(?!.*--dry-run)`,
      reason: 'publishes or withdraws a package',
    },
    {
      pattern: String.raw`^cargo (publish|yank|owner)\b(?!.*--dry-run)|^twine upload|^(poetry|uv|flit|hatch) publish|^gem (push|yank)|^mvn\b.* deploy\b|^(\./)?gradlew?\b.* publish|^dotnet nuget (push|delete)|^python[\d.]* -m twine upload|^helm push|^vsce publish|^lerna publish|^changeset publish|^pod trunk push`,
      reason: 'publishes a package',
    },
    {
      pattern:
        '^(docker|podman) (push|system (prune|reset)|container prune|builder prune .*-a|volume (rm|prune)|image prune .*-a|rm .*-[a-z]*f|rmi .*-[a-z]*f|compose down .*(-v|--volumes)|swarm leave)|^docker-compose down .*(-v|--volumes)',
      reason: 'publishes images or deletes containers and their data',
    },
    {
      pattern:
        '^(kubectl|oc|k9s) (delete|drain|cordon|replace .*--force|scale .*--replicas=0)|^helm (uninstall|delete)|^(terraform|tofu|terragrunt)( [^ ]+)* (destroy|apply .*-auto-approve|apply .*--auto-approve|state rm|force-unlock)|^pulumi (destroy|up .*(-y|--yes))|^cdk destroy|^ansible .*-m (shell|command|raw)',
      reason: 'changes running infrastructure',
    },
    {
      pattern: String.raw`^aws .*(delete|terminate|remove-|deregister|s3 (rm|rb|sync .*--delete|mv))|^gcloud .* delete|^gsutil .*\b(rm|rb)\b|^az .* delete|^doctl .* delete|^heroku .*(destroy|pg:reset)|^fly(ctl)? .*destroy|^vercel (remove|rm)|^netlify .*delete|^wrangler .*delete|^firebase .*delete|^s3cmd (del|rb)|^rclone (delete|purge|sync)`,
      reason: 'deletes something in the cloud',
    },
    {
      pattern: String.raw`\b(drop\s+(database|table|schema|user|role|index|view|column)|truncate\s+(table\s+)?\w|delete\s+from\s+\w+(?!.*\bwhere\b)|update\s+\w+\s+set\s+(?!.*\bwhere\b))`,
      reason: 'deletes or overwrites data in a database',
    },
    {
      pattern: String.raw`\b(flushall|flushdb)\b|dropDatabase\(|\.drop\(\)|deleteMany\(\s*\{\s*\}|^mysqladmin\b.* drop|^(rails|rake|bin/rails|php artisan) .*(db:(drop|reset)|migrate:fresh|db:wipe)|^prisma (migrate reset|db push .*--force-reset)|^supabase db reset|^influx delete|manage\.py (flush|reset_db)|^(sequelize|knex|typeorm|drizzle-kit)\b.*(db:drop|schema:drop|migrate:rollback --all)|^sequelize db:drop`,
      reason: 'empties a database',
    },
    {
      pattern: String.raw`^(shutdown|reboot|halt|poweroff|init [06]|telinit|systemctl (reboot|poweroff|halt|suspend|rescue))\b`,
      reason: 'shuts the machine down',
    },
    {
      pattern: String.raw`^(systemctl|service|launchctl|rc-service) .*\b(stop|disable|mask|restart|unload|bootout|remove|enable|load|bootstrap)\b|^chkconfig`,
      reason: 'changes what runs on the machine',
    },
    {
      pattern: String.raw`^(iptables|ip6tables|nft|ufw|pfctl|firewall-cmd)\b(?!.*(\s-L\b|--list|status|-s rules|list ))`,
      reason: 'changes the firewall',
    },
    {
      pattern: String.raw`^crontab\b(?!\s+(-u \S+ )?-l)|^(at|batch)\b(?!\s+-l)|^systemd-run\b`,
      reason: 'leaves something that runs later',
    },
    {
      pattern: String.raw`^(killall|pkill)\b(?!.*\s-0\b)(?! (-(9|15|\d+|TERM|KILL|INT|HUP) )?-f ["']?[\w./@-]+ [\w./@: -]+["']?$)|^kill\b.*\s1$|^kill .*\$\((?!cat\b|<|lsof\b|jobs\b)`,
      reason: 'ends processes by name',
    },
    {
      pattern: String.raw`^(useradd|adduser|groupadd|passwd|chsh|gpasswd|dscl)\b`,
      reason: 'changes the accounts of this machine',
    },
    {
      pattern: String.raw`^(mount|umount|losetup|swapoff|modprobe|rmmod|insmod|sysctl -w|kexec)\b(?=.*\s)`,
      reason: 'changes the running system',
    },
    {
      pattern: String.raw`^(apt|apt-get|dnf|yum|pacman|zypper|apk|snap|flatpak|port)\b.*(\b(remove|purge|autoremove|erase|del)\b|\s-R)|^brew (uninstall|remove|cleanup .*--prune=all)`,
      reason: 'removes software from the machine',
    },
    {
      pattern: String.raw`^chmod\b.*\b(0?777|a\+rwx|o\+w|[ugo]*\+s|[2467][0-7]{3})\b`,
      reason: 'opens files to everyone or lets them run as their owner',
    },
    {
      pattern: String.raw`^(security (find-generic-password|find-internet-password)|secret-tool (lookup|search)|pass show|op (read|item get)|bw get|vault (read|kv get)|lpass show|gopass show|doppler secrets|heroku config|git credential (fill|approve)|docker-credential-\w+ get|aws configure get \S*(secret|token))\b|^printenv\b[^|]*(SECRET|TOKEN|PASSW|KEY)`,
      reason: 'shows a stored password',
    },
    {
      pattern:
        '^aws (secretsmanager get-secret-value|ssm get-parameters? .*--with-decryption|sts get-session-token)|^gcloud (secrets versions access|auth print-access-token)|^az keyvault secret show|^kubectl get secrets? .*(-o|--output)',
      reason: 'shows secrets of the cloud account',
    },
    {
      pattern:
        '^gh (release (create|delete)|secret (set|delete)|pr merge .*--admin|repo (archive|rename|transfer)|api .*(-X|--method)[= ]?(DELETE|PUT|PATCH)|repo create .*--public)',
      reason: 'changes the repository for everyone',
    },
    {
      pattern:
        '^(ngrok|cloudflared tunnel|localtunnel|lt --port|bore local|tailscale funnel|ssh .*-R )',
      reason: 'opens this machine to the network',
    },
    {
      pattern: String.raw`^(tcpdump|tshark|dsniff|ettercap|hydra|john|hashcat|msfconsole|msfvenom|sqlmap|nikto|mimikatz)\b`,
      reason: 'is a tool of attack or of listening in',
    },
    {
      pattern: String.raw`^defaults (delete|write com\.apple\.(security|loginwindow|LaunchServices))|^nvram|^tmutil (delete|disable)|^bless\b`,
      reason: 'changes settings of the system itself',
    },
    {
      pattern:
        '^(claude|codex|gemini|cursor-agent|opencode|aider)\\b.*(--dangerously-|--yolo|bypassPermissions|--yes-always)',
      reason: 'starts an assistant that asks for no permission',
    },
    {
      pattern: String.raw`^(?!(cd|ls|ll|cat|bat|less|head|tail|vim?|nano|code|open|mkdir|touch|cp|mv|rm|chmod|grep|rg|ag|find|fd|sed|awk|which|type|man|tldr|help|echo|printf|test|npm|npx|pnpm|yarn|bun|make|just|task|node|tsx|python[\d.]*|ruby|go|cargo|pytest|jest|vitest|rspec|mocha|bash|sh|zsh|source|git|tmux|curl|psql|mysql|sqlite3|redis-cli)\s)[\w-]+( [a-z][\w:.-]*){0,3} (destroy|delete|purge|terminate|undefine|schedule-key-deletion|[\w-]+-delete)(\s|$)`,
      reason: 'deletes something that another program keeps',
    },
    {
      pattern: String.raw`^gcloud storage rm|^bq rm|^mc (rb|rm .*--recursive)|^etcdctl del\b.*--prefix|^hg (purge|update .*(-C|--clean))|^svn revert\b.*(-R|--recursive)|^git push\b.*--prune|^git submodule deinit\b.*(-f|--force|--all)|^gcore\b|^kwallet-query`,
      reason: 'deletes much at once, or shows what is kept secret',
    },
    {
      pattern: String.raw`^(npm|pnpm|yarn|bun) config set\b(?!.*https://registry\.(npmjs\.org|yarnpkg\.com)/?(\s|$)).*registry|^pip[\d.]* config set\b.*(index-url|trusted-host)`,
      reason: 'changes where packages come from',
    },
    {
      pattern: String.raw`^aws (configure (export-credentials|get \S*(secret|token|key))|sts (assume-role|get-federation-token)|ecr get-(login-password|authorization-token))|^gcloud auth (application-default )?print-\S*token|^az (account|acr) (get-access-token|login .*--expose-token)|^gh auth status\b.*(\s-t\b|--show-token)|^(kubectl|oc) config view\b.*--raw|^oc whoami\b.*(\s-t\b|--show-token)|^docker context export|^kubectl create token|^gcloud (config config-helper|iam service-accounts keys create)|^az ad (sp|app) (create-for-rbac|credential)`,
      reason: 'shows credentials',
    },
    {
      pattern: String.raw`^(npm|pnpm|yarn) config get \S*(auth|token|password)`,
      reason: 'shows credentials',
    },
    {
      pattern: String.raw`^heroku (auth:token|authorizations)|^fly(ctl)? (auth|tokens?) (token|create)|^doctl auth\b.*--show-tokens?|^vault (token (lookup|create)|print token|login)|^bw (export|list)|^(sops|age|ansible-vault)\b.*(\s-d\b|decrypt|\sview\b)|^(chamber|infisical|doppler) (read|export|env|secrets)|^pulumi\b.*--show-secrets|^vercel env (pull|ls)|^railway variables|^netlify env:(list|get)`,
      reason: 'shows credentials',
    },
    {
      pattern: String.raw`^(aws|gsutil|gcloud|az|s3cmd|mc|doctl|b2|rclone|s5cmd)\b.*(--(canned-)?acl[= ]?\S*(public|authenticated-read)|--acl-public|\ball(Authenticated)?Users\b|--public-access(-level)?[= ](blob|container)|--allow-blob-public-access[= ]true|delete-public-access-block|put-bucket-policy|\b(def)?acl (set|ch)\b.*public-read|anonymous set|policy set (public|download|upload)|--s3-acl[= ]?public|allPublic)`,
      reason: 'opens stored files to everyone',
    },
    {
      pattern: String.raw`^(docker|podman|nerdctl|buildah|buildctl)\b.*--(build-arg|opt)[= ]\S*(TOKEN|SECRET|PASSW|API_?KEY|PRIVATE_?KEY|CREDENTIAL)`,
      reason: 'leaves a secret in the image that it builds',
    },
    {
      pattern: String.raw`^(kubectl|oc) (apply|create|replace)\b.*\s(-f|-k|--filename|--kustomize)[= ]?\S*(https?://|github\.com)|^helm (install|upgrade)\b.*\shttps?://|^(docker compose|docker-compose)\b.*\s(-f|--file)[= ]?https?://|^ansible-pull\b`,
      reason: 'runs in the cluster what comes straight from the network',
    },
    {
      pattern: String.raw`^(pip[\d.]*|pipx|uv|poetry|pdm|python[\d.]* -m pip)\b.*(\s(-i|--index-url|--extra-index-url|--index|--default-index|--find-links|-f)[= ]?(?!https://(test\.)?(pypi\.org|pythonhosted\.org|download\.pytorch\.org)\b)\w+://|--trusted-host)`,
      reason: 'takes packages from another source',
    },
    {
      pattern: String.raw`^(npm|pnpm|yarn|bun|npx)\b.*--registry[= ](?!https://registry\.(npmjs\.org|yarnpkg\.com)(/?\s|/?$))`,
      reason: 'takes packages from another source',
    },
    {
      pattern: String.raw`^gem (install|sources)\b.*(--source|\s-s|--add|\s-a)[= ](?!https://rubygems\.org)|^cargo (install|add)\b.*--(index|registry)[= ]|^go env -w\b.*(GOPROXY|GONOSUMDB|GOFLAGS|GOSUMDB)`,
      reason: 'takes packages from another source',
    },
    {
      pattern: String.raw`^(curl|curlie)\b(?!.*(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])).*(\s-\w*X ?|\s--request[= ])DELETE\b|^wget\b(?!.*(localhost|127\.0\.0\.1)).*--method[= ]DELETE\b|^(https?|xhs?)\b(?!.*(localhost|127\.0\.0\.1|\s:\d)).*\sDELETE\s`,
      reason: 'deletes something on another machine',
    },
    {
      pattern: String.raw`^dropdb\b(?!.*\s(\w+[_-])?tests?([_-]\w+)?$)`,
      reason: 'empties a database',
    },
    {
      pattern: String.raw`^pg_restore\b.*\s(--clean|-[ceOxv1]*c[ceOxv1]*\b)|^mongorestore\b.*--drop|^(mongosh|mongo)\b.*\.((remove|deleteMany)\(\s*(\{\s*\})?\s*\)|drop\w*\()|^(redis-cli|valkey-cli|keydb-cli)\b.*(--scan|\bkeys\b).*\|.*\b(del|unlink)\b|^flyway\b.*\bclean\b|^liquibase\b.*drop-?all|^alembic downgrade base`,
      reason: 'empties a database',
    },
    {
      pattern: String.raw`^nomad (job )?stop\b.*-purge|^consul (kv delete|snapshot restore)|^vault (secrets disable|kv (metadata )?(delete|destroy)|lease revoke)|^rabbitmqctl (reset|force_reset|delete_|purge_)|^rabbitmqadmin\b.*\b(delete|purge)\b|^kafka-(topics|consumer-groups|acls)\S*\b.*--delete|^kafka-delete-records|^elasticdump\b.*--delete|^restic (forget|prune)|^(borg|borgmatic) (delete|prune|recreate)|^duplicity remove-|^zfs rollback|^btrfs subvolume delete|^ceph\b.*\b(delete|purge)\b|^zkCli\S*\b.*\b(deleteall|rmr)\b`,
      reason: 'deletes what a service keeps',
    },
    {
      pattern: String.raw`^xattr\b.*(com\.apple\.quarantine|\s-[a-z]*c)`,
      reason: 'takes the mark off a file that came from elsewhere',
    },
    {
      pattern: String.raw`^dd\b.*\bof=/dev/`,
      reason: 'writes to a device',
    },
  ],
  alert: [
    {
      pattern: String.raw`^(echo|printf|print)\b.*\$(\{\w*|\w*)(SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY)\w*(\}|\b)`,
      reason: 'shows a secret of the environment',
    },
    {
      pattern: String.raw`^(curl|wget)\b(?!.*(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])).*\s(-d|--data|--data-\w+|-F|--form|-T|--upload-file|--post-file|--post-data)\b`,
      reason: 'sends data to another machine',
    },
    {
      pattern: String.raw`^(npm|pnpm|yarn|bun) (install|add|i) .*(https?:(?!//registry\.(npmjs\.org|yarnpkg\.com)(/?\s|/?$))|git\+|github:)`,
      reason: 'installs a package from an address',
    },
    {
      pattern: String.raw`^chmod\b.*-R.*\s[/~]`,
      reason: 'changes the rights of many files',
    },
    {
      pattern: String.raw`^(nc|ncat|netcat|socat|telnet)\b(?!.*(\s-\w*z|localhost|127\.0\.0\.1))`,
      reason: 'opens a bare connection',
    },
  ],
}
