-- Durable moves for wrk: every request changes the list of one of 1,000 users. Each pass over the users sends another
-- function to the end, so a request that follows on the same user always has something to change.
local users, items, sent = 1000, { "ride", "transfer" }, 0
local headers = { ["Content-Type"] = "application/json" }

function request()
    local user, item = sent % users, items[math.floor(sent / users) % #items + 1]
    sent = sent + 1
    return wrk.format("POST", string.format("/v1/users/%s-%04d/layout/operations", PREFIX, user), headers,
        string.format('{"operations":[{"op":"move","id":"%s","at":{"edge":"last"}}]}', item))
end

function init(args)
    PREFIX = args[1] or "bench"
end
