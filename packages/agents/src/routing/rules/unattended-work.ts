/** Work that runs unattended: overnight, on a schedule, for hours. */
export const UNATTENDED_WORK = `
  # Unattended work.
  - id: unattended
    level: 50
    unattended: true
    unless:
      - ^answer quickly
      - interactive
      - '{minutes} minute'
      - local file
      - local skill
      - on my machine
    answer: { system: managed, tier: standard }
    why: it runs unattended, which managed agents are for; they survive disconnects
    notes: [managed agents do not load local instructions or skills]
  - id: unattended-in-words
    level: 50
    when:
      - '{away}'
      - '{link} {drops}'
      - '{drops} .. {link}'
      - 'survive'
      - until monday
      - until tomorrow
      - until i am back
      - until i'm back
      - till morning
      - when i wake up
      - when i get back
      - before i wake up
      - keep .. run .. after
      - '{runs} after hours'
      - cloud session
      - remote session
      - in .. background for hours
      - long running
      - on a schedule
      - '{runs} .. from .. ci'
      - '{runs} .. in our ci'
      - from our ci
      - in a ci pipeline
      - around the clock
      - 24 7
      - asynchronously in the cloud
      - without a human
      - with nobody
      - without any human
      - no human in the loop
      - nobody around
      - on autopilot
      - resume .. by itself
      - headless in ci
      - overnight
      - over night
      - through the night
      - during the night
      - all night
      - until morning
      - by morning
      - tomorrow morning
      - while .. sleep
      - while .. asleep
      - while i'm .. away
      - while i am .. away
      - while i'm .. out
      - while .. vacation
      - while .. holiday
      - go to bed
      - over the weekend
      - through the weekend
      - unattended
      - unsupervised
      - without supervision
      - without me
      - without anyone watching
      - without babysitting
      - nobody .. watch
      - no one .. watch
      - nobody is there
      - survive .. disconnect
      - survive .. connection
      - survive .. restart
      - survive .. laptop
      - survive .. crash
      - survive .. reboot
      - even if .. laptop
      - even if .. disconnect
      - even if .. offline
      - even if .. connection
      - even if .. close
      - even when .. laptop
      - even when .. disconnect
      - when .. connection drop
      - if .. connection drop
      - after .. lost connection
      - after .. disconnect
      - close .. laptop
      - close .. lid
      - '{runs} .. in ci'
      - '{runs} .. in the ci'
      - '{runs} .. on ci'
      - '{runs} .. from ci'
      - as .. ci job
      - triggered by ci
      - triggered by a webhook
      - trigger .. webhook
      - '{runs} .. in the cloud'
      - cloud agent
      - hosted agent
      - managed agent
      - remote agent
      - nightly job
      - '{runs} .. nightly'
      - '{runs} every night'
      - for hours
      - for {hours} hour
      - take {hours} hour
      - several hour
      - take .. {hours} hour
      - run .. {hours} hour
      - need .. {hours} hour
      - nobody .. around
      - many hour
      - hours long
      - for days
      - on its own until
    unless:
      - '^fix .. {link}'
      - '^implement .. survive'
      - '{artefact} .. {broken} when .. connection'
      - '^why'
      - '^debug'
      - '^investigate .. {drops}'
      - did .. survive
      - '^fix'
      - '^handle .. {link}'
      - '^explain'
      - '{broken} .. overnight'
      - overnight .. {broken}
      - nightly build .. {broken}
      - why .. overnight
      - what happened .. overnight
      - '^fix .. ci'
      - '^repair .. ci'
      - '^implement .. webhook'
      - '^add .. webhook'
      - interactive
      - interactively
      - only takes {minutes} minute
      - '{minutes} minute job'
      - takes {minutes} minute
      - in {minutes} minute
    answer: { system: managed, tier: standard }
    why: it runs unattended, which managed agents are for; they survive disconnects
    notes: [managed agents do not load local instructions or skills, and are not worth it under 30 minutes]
`
