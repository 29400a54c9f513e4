-- The end of a wrk run as one line of JSON.
function done(summary, latency, requests)
    local e = summary.errors
    print(string.format(
        '{"requests":%d,"seconds":%.6f,"p50_us":%d,"p99_us":%d,"errors":%d,"refused":%d}',
        summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.timeout, e.status))
end
